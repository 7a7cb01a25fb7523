import Synchronization

/// A device's record of its session, kept over all lives of the daemon: frames sent and frames
/// acknowledged.
final class Ledger: Sendable {
    fileprivate struct State {
        var sent: UInt32 = 0
        var acknowledged: UInt32 = 0
        var welcomes = 0
        /// Whether the network is down, so that nothing reaches the device.
        var isCut = false
        /// The last ack that came after the cut.
        var acknowledgedAfterCut: UInt32 = 0
        var lostAfterCut = 0
        var breaches: [String] = []
        var notes: [String] = []
    }

    private let state = Mutex(State())

    var sent: UInt32 { state.withLock { $0.sent } }
    var acknowledged: UInt32 { state.withLock { $0.acknowledged } }
    /// Connections that reached a welcome.
    var welcomes: Int { state.withLock { $0.welcomes } }
    /// Number of records that were lost after an ack that followed a cut.
    var lostAfterCut: Int { state.withLock { $0.lostAfterCut } }
    /// Answers that the daemon must never give.
    var breaches: [String] { state.withLock { $0.breaches } }

    /// Errors and commands in order.
    var notes: [String] { state.withLock { $0.notes } }

    func note(_ json: String) {
        state.withLock { $0.notes.append(json) }
    }

    func send(upTo number: UInt32) {
        state.withLock { $0.sent = max($0.sent, number) }
    }

    /// Cuts the device off: later messages of the daemon's process do not reach it.
    func cut() { state.withLock { $0.isCut = true } }

    /// The network is back, as before the first connection after a cut.
    func reconnect() { state.withLock { $0.isCut = false } }

    /// - Returns: Whether the device hears it; `false` after a cut.
    func welcome(at number: UInt32) -> Bool {
        state.withLock { state in
            guard !state.isCut else { return false }
            state.welcomes += 1
            if number < state.acknowledged {
                state.breaches.append("welcomed at \(number) after ack \(state.acknowledged)")
            }
            if number < state.acknowledgedAfterCut { state.lostAfterCut += 1 }
            state.acknowledgedAfterCut = 0
            state.take(number)
            return true
        }
    }

    func acknowledge(_ number: UInt32) {
        state.withLock { state in
            guard !state.isCut else {
                state.acknowledgedAfterCut = max(state.acknowledgedAfterCut, number)
                return
            }
            if number < state.acknowledged {
                state.breaches.append("ack \(number) after ack \(state.acknowledged)")
            }
            state.take(number)
        }
    }
}

extension Ledger.State {
    fileprivate mutating func take(_ number: UInt32) {
        if number > sent { breaches.append("\(number) acknowledged, \(sent) sent") }
        acknowledged = max(acknowledged, number)
    }
}
