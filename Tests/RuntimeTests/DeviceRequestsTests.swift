import Dispatch
import SensorModel
import Synchronization
import Testing

@testable import Runtime

@Suite struct DeviceRequestsTests {
    private static let busy = DeviceID(rawValue: 1)
    private static let other = DeviceID(rawValue: 2)
    private static let mebibyte = 1 << 20
    private static let tooMany = AdministrationError.tooManyRequests(retryAfterSeconds: 1)

    private static func requests() -> DeviceRequests {
        DeviceRequests(bodyBytesMax: mebibyte)
    }

    /// Requests that wait until they are released.
    private final class Held: Sendable {
        private let begun: Counter
        private let isReleased: Counter
        private let tasks: [Task<Void, any Error>]

        init(_ count: Int, bodyBytes: Int = 0, of device: DeviceID, _ requests: DeviceRequests) {
            let (begun, isReleased) = (Counter(), Counter())
            (self.begun, self.isReleased) = (begun, isReleased)
            tasks = (0..<count).map { _ in
                Task {
                    try await requests.run(for: device, bodyBytes: bodyBytes) {
                        begun.value.add(1, ordering: .relaxed)
                        while isReleased.value.load(ordering: .relaxed) == 0 { await Task.yield() }
                    }
                }
            }
        }

        /// Waits until all of them have begun.
        func begin() async {
            while begun.value.load(ordering: .relaxed) < tasks.count { await Task.yield() }
        }

        func release() async throws {
            isReleased.value.store(1, ordering: .relaxed)
            for task in tasks { try await task.value }
        }
    }

    @Test func `One step of a device runs at a time, and while it waits the next`() async throws {
        let requests = Self.requests()
        let running = Counter()
        let most = Counter()
        let done = Counter()
        try await withThrowingTaskGroup { group in
            for _ in 0..<DeviceRequests.requestsMax {
                group.addTask {
                    try await requests.run(for: Self.busy, bodyBytes: 0) {
                        for _ in 0..<20 {
                            let now = running.value.add(1, ordering: .relaxed).newValue
                            most.value.max(now, ordering: .relaxed)
                            running.value.subtract(1, ordering: .relaxed)
                            await Task.yield()
                        }
                        done.value.add(1, ordering: .relaxed)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(most.value.load(ordering: .relaxed) == 1)
        #expect(done.value.load(ordering: .relaxed) == DeviceRequests.requestsMax)
        #expect(requests.deviceCount == 0)
    }

    /// As many requests of one device as fill the queue of Swift's threads several times.
    @Test(.timeLimit(.minutes(1)))
    func `Another device's request waits for one step of a busy device's, not for all`()
        async throws
    {
        let requests = Self.requests()
        let done = Counter()
        let gate = DispatchSemaphore(value: 0)
        let busy = (0..<DeviceRequests.requestsMax).map { number in
            Task {
                try await requests.run(for: Self.busy, bodyBytes: 0) {
                    if number == 0 { wait(for: gate) }
                    done.value.add(1, ordering: .relaxed)
                }
            }
        }
        // Each of these takes a thread, so the first busy request has begun to wait.
        for _ in 0..<100 { await Task { await Task.yield() }.value }
        let seen = try await requests.run(for: Self.other, bodyBytes: 0) {
            done.value.load(ordering: .relaxed)
        }
        #expect(seen < DeviceRequests.requestsMax)
        #expect(requests.deviceCount == 1)
        gate.signal()
        for request in busy { try await request.value }
        #expect(done.value.load(ordering: .relaxed) == DeviceRequests.requestsMax)
        #expect(requests.deviceCount == 0)
    }

    @Test func `An error of a request reaches its caller, and its place and body are free`()
        async throws
    {
        struct Failure: Error {}
        let requests = Self.requests()
        for _ in 0...DeviceRequests.requestsMax {
            await #expect(throws: Failure.self) {
                try await requests.run(for: Self.busy, bodyBytes: Self.mebibyte) { throw Failure() }
            }
        }
        #expect(requests.deviceCount == 0)
    }

    @Test func `Of one device so many wait or run, and the rest is refused`() async throws {
        let requests = Self.requests()
        let held = Held(DeviceRequests.requestsMax, of: Self.busy, requests)
        await held.begin()
        await #expect(throws: Self.tooMany) {
            try await requests.run(for: Self.busy, bodyBytes: 0) {}
        }
        try await requests.run(for: Self.other, bodyBytes: 0) {}
        try await held.release()
        try await requests.run(for: Self.busy, bodyBytes: 0) {}
    }

    @Test func `Bodies of one device, and of all, are so long together, and one alone is taken`()
        async throws
    {
        let requests = Self.requests()
        let whole = Held(2, bodyBytes: Self.mebibyte, of: Self.busy, requests)
        await whole.begin()
        await #expect(throws: Self.tooMany) {
            try await requests.run(for: Self.busy, bodyBytes: Self.mebibyte) {}
        }
        // A reading has room beside them.
        try await requests.run(for: Self.busy, bodyBytes: 200) {}
        let others = (2...12).map {
            Held(1, bodyBytes: Self.mebibyte, of: DeviceID(rawValue: $0), requests)
        }
        for other in others { await other.begin() }
        let last = DeviceID(rawValue: 13)
        await #expect(throws: Self.tooMany) {
            try await requests.run(for: last, bodyBytes: Self.mebibyte) {}
        }
        try await requests.run(for: last, bodyBytes: 200) {}
        for held in [whole] + others { try await held.release() }
        // However long the longest body may be.
        let long = DeviceRequests(bodyBytesMax: 64 * Self.mebibyte)
        try await long.run(for: last, bodyBytes: 64 * Self.mebibyte) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func `A request whose connection closes before its turn leaves at once, and is not done`()
        async throws
    {
        let requests = Self.requests()
        let done = Counter()
        let (begun, gate) = (Counter(), DispatchSemaphore(value: 0))
        let blocking = Task {
            try await requests.run(for: Self.busy, bodyBytes: 0) {
                begun.value.add(1, ordering: .relaxed)
                wait(for: gate)
            }
        }
        while begun.value.load(ordering: .relaxed) == 0 { await Task.yield() }
        for round in 1...3 {
            let waiting = (0..<2).map { _ in
                Task {
                    try await requests.run(for: Self.busy, bodyBytes: Self.mebibyte) {
                        done.value.add(1, ordering: .relaxed)
                    }
                }
            }
            while requests.waitingCount < waiting.count { await Task.yield() }
            for task in waiting { task.cancel() }
            for task in waiting {
                await #expect(throws: CancellationError.self, "round \(round)") {
                    try await task.value
                }
            }
            #expect(requests.waitingCount == 0)
        }
        // It is cancelled before it comes.
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            _ = try await requests.run(for: Self.busy, bodyBytes: 0) {
                done.value.add(1, ordering: .relaxed)
            }
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        gate.signal()
        try await blocking.value
        #expect(done.value.load(ordering: .relaxed) == 0)
        #expect(requests.deviceCount == 0)
    }

    @Test func `A request that has begun goes on when its connection closes`() async throws {
        let requests = Self.requests()
        let held = Counter()
        let request = Task {
            try await requests.run(for: Self.busy, bodyBytes: 0) {
                held.value.add(1, ordering: .relaxed)
                while held.value.load(ordering: .relaxed) < 2 { await Task.yield() }
                return Task.isCancelled
            }
        }
        while held.value.load(ordering: .relaxed) == 0 { await Task.yield() }
        request.cancel()
        held.value.add(1, ordering: .relaxed)
        #expect(try await request.value)
    }
}
