import Dispatch
import SensorModel
import Synchronization
import Testing

@testable import Runtime

@Suite struct DeviceRequestsTests {
    private static let busy = DeviceID(rawValue: 1)
    private static let other = DeviceID(rawValue: 2)

    @Test func `One step of a device runs at a time, and while it waits the next`() async {
        let requests = DeviceRequests()
        let running = Counter()
        let most = Counter()
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    await requests.run(for: Self.busy) {
                        for _ in 0..<5 {
                            let now = running.value.add(1, ordering: .relaxed).newValue
                            most.value.max(now, ordering: .relaxed)
                            running.value.subtract(1, ordering: .relaxed)
                            await Task.yield()
                        }
                    }
                }
            }
        }
        #expect(most.value.load(ordering: .relaxed) == 1)
        #expect(requests.deviceCount == 0)
    }

    /// As many requests of one device as fill the queue of Swift's threads several times.
    @Test(.timeLimit(.minutes(1)))
    func `Another device's request waits for one step of a busy device's, not for all`() async {
        let requests = DeviceRequests()
        let done = Counter()
        let gate = DispatchSemaphore(value: 0)
        let busy = (0..<100).map { number in
            Task {
                await requests.run(for: Self.busy) {
                    if number == 0 { wait(for: gate) }
                    done.value.add(1, ordering: .relaxed)
                }
            }
        }
        // Each of these takes a thread, so the first busy request has begun to wait.
        for _ in 0..<100 { await Task { await Task.yield() }.value }
        let seen = await requests.run(for: Self.other) { done.value.load(ordering: .relaxed) }
        #expect(seen < 100)
        #expect(requests.deviceCount == 1)
        gate.signal()
        for request in busy { await request.value }
        #expect(done.value.load(ordering: .relaxed) == 100)
        #expect(requests.deviceCount == 0)
    }

    @Test func `An error of a request reaches its caller`() async {
        struct Failure: Error {}
        let requests = DeviceRequests()
        await #expect(throws: Failure.self) {
            try await requests.run(for: Self.busy) { throw Failure() }
        }
        #expect(requests.deviceCount == 0)
    }
}
