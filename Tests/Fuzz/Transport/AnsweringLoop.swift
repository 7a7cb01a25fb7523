import Dispatch
import NIOCore
import NIOEmbedded
import Synchronization

/// The loop that a connection's answers come back to: what other threads put on it waits until the
/// fuzzer's own thread runs it. All else is the embedded loop's.
final class AnsweringLoop: EventLoop {
    let embedded: EmbeddedEventLoop
    private let tasks = Mutex<[@Sendable () -> Void]>([])
    private let arrived = DispatchSemaphore(value: 0)

    init(_ embedded: EmbeddedEventLoop) {
        self.embedded = embedded
    }

    var inEventLoop: Bool { true }

    func execute(_ task: @escaping @Sendable () -> Void) {
        tasks.withLock { $0.append(task) }
        arrived.signal()
    }

    /// Runs the next task, and waits for one.
    func runNext() {
        precondition(arrived.wait(timeout: .now() + 10) == .success, "a request has no answer")
        tasks.withLock { $0.removeFirst() }()
    }

    func submit<Value>(_ task: @escaping @Sendable () throws -> Value) -> EventLoopFuture<Value> {
        embedded.submit(task)
    }

    func scheduleTask<Value>(
        deadline: NIODeadline, _ task: @escaping @Sendable () throws -> Value
    ) -> Scheduled<Value> {
        embedded.scheduleTask(deadline: deadline, task)
    }

    func scheduleTask<Value>(
        in delay: TimeAmount, _ task: @escaping @Sendable () throws -> Value
    ) -> Scheduled<Value> {
        embedded.scheduleTask(in: delay, task)
    }

    func shutdownGracefully(
        queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void
    ) {
        embedded.shutdownGracefully(queue: queue, callback)
    }
}
