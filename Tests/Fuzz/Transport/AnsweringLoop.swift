import Dispatch
import NIOCore
import NIOEmbedded
import Synchronization

/// The loop on which a connection's answers arrive. Other threads' tasks wait until the fuzzer's
/// thread runs them; the embedded loop does all else.
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

    /// Waits for the next task and runs it.
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
