import Testing

@testable import Runtime
@testable import Daemon

@Suite struct MemoryBudgetTests {
    @Test(arguments: [false, true], 1...Configuration.eventLoopsByDefaultMax)
    func `Everybody together stays below three quarters of the service's memory`(
        tls: Bool, loops: Int
    ) {
        var configuration = Configuration()
        configuration.eventLoops = loops
        (configuration.device.tls, configuration.httpListener.tls) = (tls, tls)
        let budget = MemoryBudget(configuration)
        let rows = budget.rows.map { "\($0.bytes >> 10) KiB \($0.name)" }.joined(separator: ", ")
        #expect(budget.bytes <= MemoryBudget.bytesMax, "\(budget.bytes >> 20) MiB: \(rows)")
        #expect(budget.rows.allSatisfy { $0.bytes > 0 })
    }

    @Test func `The doctor warns of more event loops than processors`() {
        #expect(DoctorThresholds.eventLoops(2, processors: 2).verdict == .fine)
        let finding = DoctorThresholds.eventLoops(3, processors: 2)
        #expect(finding.verdict == .warning)
        #expect(finding.advice.contains("limits.event_loops"))
    }

    @Test func `The doctor warns of limits that the service's memory does not hold`() {
        var configuration = Configuration()
        #expect(DoctorThresholds.memory(MemoryBudget(configuration)).verdict == .fine)
        configuration.bounds.connectionsMax = 200_000
        let finding = DoctorThresholds.memory(MemoryBudget(configuration))
        #expect(finding.verdict == .warning)
        #expect(finding.advice.contains("limits.connections"))
    }
}
