import Foundation
import Testing

/// Nodes, faults and time, all simulated: the log, the replication and the takeover are those of
/// the daemon.
@Suite struct ClusterSimulationTests {
    private static let isLong = ProcessInfo.processInfo.environment["PULSECAST_LONG"] == "1"

    @Test func `Nothing acknowledged is lost, and all nodes have the same files`() throws {
        let seeds = Self.isLong ? 200_000 : 1000
        if !Self.isLong { print("\(seeds) seeds of 200,000; all with PULSECAST_LONG=1") }
        // A seed that failed, alone.
        let first = ProcessInfo.processInfo.environment["CLUSTER_SEED"].flatMap { UInt64($0) }
        var claims = 0
        for seed in first.map({ $0...$0 }) ?? 1...UInt64(seeds) {
            let cluster = SimulatedCluster(seed: seed)
            do { try cluster.run(steps: 400) } catch { Issue.record("seed \(seed): \(error)") }
            for violation in cluster.violations { Issue.record("seed \(seed): \(violation)") }
            claims += cluster.claims
        }
        #expect(claims > 2 * (first == nil ? seeds : 0))
    }
}
