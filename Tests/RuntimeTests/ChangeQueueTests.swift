import Dispatch
import SensorModel
import Synchronization
import Testing

@testable import Runtime

@Suite struct ChangeQueueTests {
    private static let now = Timestamp(microseconds: 1_763_700_000_000_000)
    private static let device = DeviceID(rawValue: 1)

    /// More changes wait for the disk than the task pool has threads.
    @Test(.timeLimit(.minutes(1)))
    func `Changes that wait for the disk hold no other request`() async throws {
        let queue = ChangeQueue()
        let disk = DispatchSemaphore(value: 0)
        let done = Counter()
        let changes = (1...40).map { number in
            Task {
                try await queue.run(
                    for: DeviceID(rawValue: UInt32(number)), changedAt: Self.now
                ) {
                    wait(for: disk)
                    done.value.add(1, ordering: .relaxed)
                }
            }
        }
        // Each of these tasks needs a thread.
        for _ in 0..<100 { await Task { await Task.yield() }.value }
        #expect(done.value.load(ordering: .relaxed) == 0)
        for _ in changes { disk.signal() }
        for change in changes { try await change.value }
        #expect(done.value.load(ordering: .relaxed) == 40)
    }

    @Test func `One at a time runs, and while it is suspended the next`() async throws {
        let queue = ChangeQueue()
        let running = Counter()
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let suspended = Task {
            await queue.run { for await _ in stream {} }
        }
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    await queue.run {
                        #expect(running.value.add(1, ordering: .relaxed).newValue == 1)
                        #expect(running.value.subtract(1, ordering: .relaxed).newValue == 0)
                    }
                }
            }
        }
        continuation.finish()
        await suspended.value
    }

    @Test func `Of one device so many wait, and the rest is refused`() async throws {
        let queue = ChangeQueue()
        let begun = Counter()
        let waiting = (0..<ChangeQueue.waitingMax).map { _ in
            Task {
                try await queue.run(for: Self.device, changedAt: nil) {
                    begun.value.add(1, ordering: .relaxed)
                    while begun.value.load(ordering: .relaxed) < .max / 2 { await Task.yield() }
                }
            }
        }
        while begun.value.load(ordering: .relaxed) < ChangeQueue.waitingMax { await Task.yield() }
        await #expect(throws: AdministrationError.tooManyChanges(retryAfterSeconds: 1)) {
            try await queue.run(for: Self.device, changedAt: nil) {}
        }
        try await queue.run(for: DeviceID(rawValue: 2), changedAt: nil) {}
        begun.value.store(.max / 2, ordering: .relaxed)
        for waiting in waiting { try await waiting.value }
        try await queue.run(for: Self.device, changedAt: nil) {}
    }

    @Test func `A device makes so many changes in a while`() async throws {
        let queue = ChangeQueue()
        for _ in 0..<ChangeQueue.changesMax {
            try await queue.run(for: Self.device, changedAt: Self.now) {}
        }
        await #expect(throws: AdministrationError.tooManyChanges(retryAfterSeconds: 10)) {
            try await queue.run(for: Self.device, changedAt: Self.now) {}
        }
        // Reading is no change.
        try await queue.run(for: Self.device, changedAt: nil) {}
        try await queue.run(
            for: Self.device, changedAt: Self.now.advanced(bySeconds: 10)
        ) {}
    }
}
