import SensorModel
import Synchronization
import Testing

@testable import Runtime

/// The threads that read for viewers and owners, with concurrent cancellations and a stop.
/// `tools/race --all` runs this under ThreadSanitizer.
@Suite struct ReadPoolRaceTests {
    /// State of one party's jobs, without a lock: of two threads, a party uses only one.
    private final class Guarded: @unchecked Sendable {
        private var isInside = false
        private(set) var runs = 0
        private(set) var overlaps = 0

        func run() {
            if isInside { overlaps += 1 }
            isInside = true
            runs += 1
            isInside = false
        }
    }

    /// The outcome of a job.
    private enum End: Hashable {
        case ran
        case refused(ReadRefusal)
    }

    private static func end(
        of pool: ReadPool, for party: DeviceID, _ guarded: Guarded
    ) async -> End {
        do {
            try await pool.run(for: .device(party)) { _ in guarded.run() }
            return .ran
        } catch let refusal as ReadRefusal {
            return .refused(refusal)
        } catch {
            return .refused(.tooLong)
        }
    }

    private static func run(stopping isStopped: Bool) async -> (ends: [End: Int], [Guarded]) {
        let pool = ReadPool(threads: 2, waitingMax: 64, waitingPerReaderMax: 8)
        pool.start()
        let parties = (0..<6).map { _ in Guarded() }
        var ends: [End: Int] = [:]
        await withTaskGroup(of: End.self) { group in
            for number in 0..<1200 {
                let party = number % parties.count
                group.addTask {
                    let job = Task {
                        await end(
                            of: pool, for: DeviceID(rawValue: UInt32(party)), parties[party])
                    }
                    if number.isMultiple(of: 7) { job.cancel() }
                    return await job.value
                }
                if isStopped, number == 600 { group.addTask { stop(pool) } }
            }
            for await end in group { ends[end, default: 0] += 1 }
        }
        pool.stop()
        return (ends, parties)
    }

    private static func stop(_ pool: ReadPool) -> End {
        pool.stop()
        return .refused(.tooLong)
    }

    @Test(.timeLimit(.minutes(10)), arguments: [false, true])
    func `Each job ends once, and a party's jobs never run at once`(isStopped: Bool) async {
        let (ends, parties) = await Self.run(stopping: isStopped)
        #expect(ends.values.reduce(0, +) == (isStopped ? 1201 : 1200))
        // No other outcome is possible; `.refused(.tooLong)` stands for the stop itself.
        #expect(ends[.refused(.tooLong)] == (isStopped ? 1 : nil))
        #expect(parties.reduce(0) { $0 + $1.runs } == ends[.ran] ?? 0)
        #expect(parties.allSatisfy { $0.overlaps == 0 })
    }

    /// The next export needs the memory that the previous one held.
    @Test func `What a job holds is free before its caller goes on`() async throws {
        let pool = ReadPool()
        pool.start()
        defer { pool.stop() }
        for _ in 0..<5000 {
            weak var held: Guarded?
            do {
                let guarded = Guarded()
                held = guarded
                try await pool.run(for: .device(DeviceID(rawValue: 7))) { _ in guarded.run() }
            }
            #expect(held == nil)
        }
    }
}
