import NIOCore
import Synchronization

/// Hands what tasks send through ``SocketConversation``s to their event loop, in turns.
///
/// A runner whom 500 sockets follow gives the loop 500 messages at once. An event loop runs all its
/// tasks before it serves sockets again, so the messages get only a part of the time.
final class ConversationTurns: Sendable {
    /// Longest time for messages without a pause as long.
    private static let turn = TimeAmount.milliseconds(1)

    private struct State {
        var waiting: CircularBuffer<@Sendable () -> Void> = []
        var isScheduled = false

        mutating func next() -> (@Sendable () -> Void)? {
            if waiting.isEmpty { isScheduled = false }
            return waiting.popFirst()
        }
    }

    private let eventLoop: any EventLoop
    private let clock: @Sendable () -> NIODeadline
    private let state = Mutex(State())

    init(
        _ eventLoop: any EventLoop, clock: @escaping @Sendable () -> NIODeadline = NIODeadline.now
    ) {
        self.eventLoop = eventLoop
        self.clock = clock
    }

    /// Runs `work` on the loop, after all work added before. Any thread.
    func add(_ work: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.waiting.append(work)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { eventLoop.execute { self.serve() } }
    }

    private func serve() {
        let begin = clock()
        var end = begin
        while end < begin + Self.turn {
            guard let work = state.withLock({ $0.next() }) else { return }
            work()
            end = clock()
        }
        eventLoop.scheduleTask(deadline: end + (end - begin)) { self.serve() }
    }
}
