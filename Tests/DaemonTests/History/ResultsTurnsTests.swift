import Dispatch
import Glibc
import Registry
import SegmentLog
import SensorModel
import Synchronization
import Testing

@testable import Daemon
@testable import Runtime

/// A long list is computed in turns, and what was computed is kept.
@Suite(.serialized) struct ResultsTurnsTests {
    private static let count = 40
    private static let lister = ReadParty.device(DeviceID(rawValue: 1))
    private static let reader = ReadParty.device(DeviceID(rawValue: 2))

    /// A list of sessions without results, and a pool that nobody else uses.
    private struct Scene: Sendable {
        let results: SessionResults
        let registry: RegistryStore
        let sessions: [SessionSummary]
        let pool = ReadPool()
        private let before: Int

        init(_ running: RunningDaemon) async throws {
            let pipeline = running.daemon.pipeline
            pipeline.upkeep.stop()
            #expect(try await running.eventually { pipeline.upkeep.isIdle })
            let sessions = pipeline.catalog.page(of: .anybody, limit: 100).sessions
            #expect(sessions.count == ResultsTurnsTests.count)
            try pipeline.results.delete(sessions.map(\.session))
            self.sessions = sessions
            results = pipeline.results
            registry = running.daemon.accounts.registry
            before = pipeline.results.computations.load(ordering: .relaxed)
        }

        /// Number of results that were computed from the log.
        var computed: Int { results.computations.load(ordering: .relaxed) - before }

        /// - Returns: Number of results in the list.
        func list() async throws -> Int {
            try await results.results(of: sessions, in: pool, for: ResultsTurnsTests.lister).count
        }
    }

    private final class Notes: Sendable {
        let seen = Mutex<[Int]>([])
        let isListOver = Atomic(false)
    }

    /// Runs eight readings of another party, which come after the list and share the only free
    /// thread with it. Each reading waits until the list waits again, or is over.
    ///
    /// - Parameters:
    ///   - scene: The list.
    ///   - atReading: Called by each reading, with the list's task.
    /// - Returns: Number of results computed before each reading, and the list's task.
    /// - Throws: ``ReadRefusal``
    private static func readings(
        beside scene: Scene,
        atReading: @escaping @Sendable (Task<Int, any Error>) -> Void = { _ in }
    ) async throws -> (seen: [Int], list: Task<Int, any Error>) {
        let (pool, notes, count) = (scene.pool, Notes(), 8)
        let gate = DispatchSemaphore(value: 0)
        let blocked = Task { try await pool.run(for: .administrator) { _ in gate.wait() } }
        while pool.waiting < 1 { await Task.yield() }
        let list = Task {
            defer { notes.isListOver.store(true, ordering: .relaxed) }
            return try await scene.list()
        }
        while pool.waiting < 2 { await Task.yield() }
        let readings = (0..<count).map { _ in
            Task {
                try await pool.run(for: Self.reader) { _ in
                    // One at a time runs, so the others wait.
                    let left = count - 1 - notes.seen.withLock { $0.count }
                    while pool.waiting == left, !notes.isListOver.load(ordering: .relaxed) {
                        usleep(1000)
                    }
                    notes.seen.withLock { $0.append(scene.computed) }
                    atReading(list)
                }
            }
        }
        while pool.waiting < 2 + count { await Task.yield() }
        pool.start()
        for reading in readings { try await reading.value }
        gate.signal()
        try await blocked.value
        return (notes.seen.withLock { $0 }, list)
    }

    @Test(.timeLimit(.minutes(2)))
    func `A long list lets others read after every sixteen sessions`() async throws {
        try await ResultsUpkeepTests.run(sessions: Self.count) { running, _, _ in
            let scene = try await Scene(running)
            defer { scene.pool.stop() }
            let (seen, list) = try await Self.readings(beside: scene)
            #expect(try await list.value == Self.count)
            // At most two readings run between two turns of the list, and at least one.
            #expect(seen == seen.sorted())
            #expect(Set(seen) == [0, 16, 32, 40], "\(seen)")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `What a list has computed before it is cancelled is not computed again`() async throws {
        try await ResultsUpkeepTests.run(sessions: Self.count) { running, _, _ in
            let scene = try await Scene(running)
            defer { scene.pool.stop() }
            let (_, list) = try await Self.readings(beside: scene) { list in
                if scene.computed == 16 { list.cancel() }
            }
            await #expect(throws: ReadRefusal.cancelled) { try await list.value }
            #expect(scene.computed == 16)
            // In the middle of a turn, too.
            var asked = 0
            #expect(throws: ReadRefusal.cancelled) {
                try scene.results.results(of: scene.sessions) {
                    asked += 1
                    return asked > 5
                }
            }
            #expect(scene.computed == 21)
            #expect(try await scene.list() == Self.count)
            #expect(scene.computed == Self.count)
        }
    }

    @Test func `A list that is asked for again computes nothing, even without the registry`()
        async throws
    {
        try await ResultsUpkeepTests.run(sessions: Self.count) { running, _, sessions in
            let scene = try await Scene(running)
            scene.pool.start()
            defer { scene.pool.stop() }
            for _ in 0..<2 {
                #expect(try await scene.list() == Self.count)
                #expect(scene.computed == Self.count)
            }
            try scene.registry.deleteResults(of: sessions)
            #expect(try await scene.list() == Self.count)
            #expect(scene.computed == Self.count)
        }
    }
}
