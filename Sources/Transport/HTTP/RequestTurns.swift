import NIOCore

/// Shares an event loop's time among the requests that came behind another one on their connection.
///
/// The library runs tasks until none is left before it reads sockets again. So connections with a
/// store of requests, each taken when the one before is answered, would keep it from all others. Here
/// they take turns, a request each, for a part of the time; the rest is for sockets. Loop only.
final class RequestTurns {
    /// Time for requests at once.
    private static let turn = TimeAmount.milliseconds(1)
    /// Time for everything else after it, as a multiple of what was used.
    private static let restFactor: Int64 = 4

    private let eventLoop: any EventLoop
    private var waiting: [HTTPConnection] = []
    private var isScheduled = false
    private var restsUntil = NIODeadline.distantPast

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Calls ``HTTPConnection/takeTurn()`` when it is the connection's turn.
    func wait(_ connection: HTTPConnection) {
        waiting.append(connection)
        schedule()
    }

    /// Runs what is done later for a request that others wait behind: its answer.
    func count(_ work: () -> Void) {
        let begin = NIODeadline.now()
        work()
        rest(since: begin)
    }

    private func rest(since begin: NIODeadline) {
        let end = NIODeadline.now()
        restsUntil =
            max(restsUntil, end) + .nanoseconds(Self.restFactor * (end - begin).nanoseconds)
    }

    private func schedule() {
        guard !isScheduled, !waiting.isEmpty else { return }
        isScheduled = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(deadline: restsUntil) { bound.value.serve() }
    }

    private func serve() {
        isScheduled = false
        let begin = NIODeadline.now()
        // An answer came in between.
        guard restsUntil <= begin else { return schedule() }
        var taken = 0
        // Those that come back meanwhile wait for the next turn.
        let count = waiting.count
        while taken < count, NIODeadline.now() < begin + Self.turn {
            waiting[taken].takeTurn()
            taken += 1
        }
        waiting.removeFirst(taken)
        rest(since: begin)
        schedule()
    }
}
