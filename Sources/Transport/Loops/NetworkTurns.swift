import NIOCore

/// A connection that waits for its turn in ``NetworkTurns``.
protocol TurnTaker: AnyObject {
    /// `false` once the connection has closed.
    var isWaiting: Bool { get }
    /// Does the work that waited; nothing if the connection has closed meanwhile.
    func takeTurn()
}

/// Shares an event loop's time among connections that begin, each of which costs the loop much.
///
/// The daemon signs in each TLS handshake: 0.3 ms with a P-256 key, 6 ms with RSA 4096. A device's
/// hello begins a session and may end another: some 0.2 ms. Both happen on the loop that serves
/// viewers and devices, and one peer can cause them by the thousand. So they get only a part of the
/// time, and networks take turns. Loop only.
final class NetworkTurns {
    /// The connections of a network that wait.
    private struct Queue {
        var connections = CircularBuffer<any TurnTaker>()
        /// Number of them that have closed.
        var left = 0
    }

    /// Longest time for such work without a pause.
    private let turn: TimeAmount
    /// Length of the pause for everything else, as a multiple of the time used.
    private let restFactor: Int64
    private let hasRoom: () -> Bool
    private let clock: () -> NIODeadline
    private let eventLoop: any EventLoop
    private var waiting: [PeerAddress.Prefix: Queue] = [:]
    /// The waiting networks, the next one first.
    private var order = CircularBuffer<PeerAddress.Prefix>()
    private var isScheduled = false
    private var used = TimeAmount.zero
    private var restsUntil = NIODeadline.distantPast

    /// Time after which it asks for room again; people do not notice it.
    private static let retryInterval = TimeAmount.milliseconds(1)

    /// - Parameters:
    ///   - eventLoop: The loop whose connections take turns.
    ///   - turn: Longest time for their work without a pause.
    ///   - restFactor: Length of the pause, as a multiple of the time used.
    ///   - hasRoom: Whether what the work leaves to do elsewhere is done but for a little.
    ///   - clock: The loop's clock.
    init(
        _ eventLoop: any EventLoop, turn: TimeAmount = .milliseconds(1), restFactor: Int64 = 1,
        hasRoom: @escaping () -> Bool = { true },
        clock: @escaping () -> NIODeadline = NIODeadline.now
    ) {
        self.turn = turn
        self.restFactor = restFactor
        self.hasRoom = hasRoom
        self.clock = clock
        self.eventLoop = eventLoop
    }

    /// Runs work at once while no other connection waits, or gives the connection a later turn.
    ///
    /// - Returns: Whether it ran; if not, ``TurnTaker/takeTurn()`` is called once.
    func run(
        for connection: any TurnTaker, from network: PeerAddress.Prefix, _ work: () -> Void
    ) -> Bool {
        guard !order.isEmpty || restsUntil > clock() || !hasRoom() else {
            runTimed(work)
            return true
        }
        if waiting[network] == nil { order.append(network) }
        waiting[network, default: Queue()].connections.append(connection)
        schedule()
        return false
    }

    /// Notes that a waiting connection has closed. At least half of a network's queue stays open
    /// connections: a peer that connects and leaves would fill the memory otherwise.
    func left(_ network: PeerAddress.Prefix) {
        guard var queue = waiting.removeValue(forKey: network) else { return }
        queue.left += 1
        if queue.left > queue.connections.count / 2 {
            queue.connections.removeAll { !$0.isWaiting }
            queue.left = 0
        }
        waiting[network] = queue
    }

    /// Connections that wait or have closed meanwhile, for tests.
    var count: Int { waiting.values.reduce(0) { $0 + $1.connections.count } }

    private func schedule() {
        guard !isScheduled, !order.isEmpty else { return }
        isScheduled = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let start = hasRoom() ? restsUntil : max(restsUntil, clock() + Self.retryInterval)
        eventLoop.scheduleTask(deadline: start) { bound.value.serve() }
    }

    private func serve() {
        isScheduled = false
        while let network = order.first, restsUntil <= clock(), hasRoom() {
            order.removeFirst()
            guard var queue = waiting.removeValue(forKey: network),
                let connection = queue.connections.popFirst()
            else { continue }
            if !connection.isWaiting { queue.left = max(0, queue.left - 1) }
            if !queue.connections.isEmpty {
                waiting[network] = queue
                order.append(network)
            }
            runTimed { connection.takeTurn() }
        }
        schedule()
    }

    private func runTimed(_ work: () -> Void) {
        let begin = clock()
        work()
        let end = clock()
        used = used + (end - begin)
        guard used >= turn else { return }
        restsUntil = end + .nanoseconds(restFactor * used.nanoseconds)
        used = .zero
    }
}
