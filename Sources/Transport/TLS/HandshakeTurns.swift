import NIOCore

/// Shares an event loop's time among TLS handshakes.
///
/// The daemon signs in each handshake: 0.3 ms with a P-256 key, 6 ms with RSA 4096. It does so on
/// the loop that serves viewers and devices, and a stranger can cause it by repeating the same
/// bytes. So handshakes get at most half of the time, and networks take turns. Loop only.
final class HandshakeTurns {
    /// Longest time for handshakes without a pause.
    private let turn: TimeAmount
    private let clock: () -> NIODeadline
    private let eventLoop: any EventLoop
    private var waiting: [PeerAddress.Prefix: [TLSRecordGate]] = [:]
    /// The waiting networks, the next one first.
    private var order: [PeerAddress.Prefix] = []
    private var isScheduled = false
    private var used = TimeAmount.zero
    private var restsUntil = NIODeadline.distantPast

    /// - Parameters:
    ///   - eventLoop: The loop whose handshakes take turns.
    ///   - turn: Longest time for handshakes without a pause.
    ///   - clock: The loop's clock.
    init(
        _ eventLoop: any EventLoop, turn: TimeAmount = .milliseconds(1),
        clock: @escaping () -> NIODeadline = NIODeadline.now
    ) {
        self.turn = turn
        self.clock = clock
        self.eventLoop = eventLoop
    }

    /// Calls ``TLSRecordGate/takeTurn(isLater:)`` when it is the connection's turn: at once, while
    /// there are few.
    func wait(_ gate: TLSRecordGate, from network: PeerAddress.Prefix) {
        guard !order.isEmpty || restsUntil > clock() else {
            return runTimed { gate.takeTurn(isLater: false) }
        }
        if waiting[network] == nil { order.append(network) }
        waiting[network, default: []].append(gate)
        schedule()
    }

    private func schedule() {
        guard !isScheduled, !order.isEmpty else { return }
        isScheduled = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(deadline: restsUntil) { bound.value.serve() }
    }

    private func serve() {
        isScheduled = false
        while let network = order.first, restsUntil <= clock() {
            order.removeFirst()
            guard var gates = waiting.removeValue(forKey: network) else { continue }
            let gate = gates.removeFirst()
            if !gates.isEmpty {
                waiting[network] = gates
                order.append(network)
            }
            runTimed { gate.takeTurn(isLater: true) }
        }
        schedule()
    }

    private func runTimed(_ work: () -> Void) {
        let begin = clock()
        work()
        let end = clock()
        used = used + (end - begin)
        guard used >= turn else { return }
        restsUntil = end + used
        used = .zero
    }
}
