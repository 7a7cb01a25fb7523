import NIOCore

/// Shares an event loop's time among pipelined requests, which arrive before the previous answer.
///
/// The event loop runs all tasks before it reads sockets again. So a few connections with many
/// stored requests could keep it from all others. Such connections take turns, one request each,
/// for a part of the time; the rest of the time is for sockets. Loop only.
final class RequestTurns {
    /// Longest time for requests without a pause.
    private static let turn = TimeAmount.milliseconds(1)
    /// Length of the pause for everything else, as a multiple of the time used.
    private static let restFactor: Int64 = 4

    private let eventLoop: any EventLoop
    private let clock: () -> NIODeadline
    private var waiting: [HTTPConnection] = []
    private var isScheduled = false
    private var restsUntil = NIODeadline.distantPast

    init(_ eventLoop: any EventLoop, clock: @escaping () -> NIODeadline = NIODeadline.now) {
        self.eventLoop = eventLoop
        self.clock = clock
    }

    /// Calls ``HTTPConnection/takeTurn()`` when it is the connection's turn.
    func wait(_ connection: HTTPConnection) {
        waiting.append(connection)
        schedule()
    }

    /// Runs the answer to a request that others wait behind, and counts its time as used.
    func runTimed(_ work: () -> Void) {
        let begin = clock()
        work()
        rest(since: begin)
    }

    private func rest(since begin: NIODeadline) {
        let end = clock()
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
        let begin = clock()
        // An answer has lengthened the pause meanwhile.
        guard restsUntil <= begin else { return schedule() }
        var taken = 0
        // Connections that return meanwhile wait for the next turn.
        let count = waiting.count
        while taken < count, clock() < begin + Self.turn {
            waiting[taken].takeTurn()
            taken += 1
        }
        waiting.removeFirst(taken)
        rest(since: begin)
        schedule()
    }
}
