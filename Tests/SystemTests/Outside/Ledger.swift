import Synchronization

/// What a device knows of its session: how far it has sent, and how far the daemon has promised to
/// keep. It outlives every daemon.
final class Ledger: Sendable {
    fileprivate struct State {
        var sent: UInt32 = 0
        var acknowledged: UInt32 = 0
        var welcomes = 0
        /// Nothing reaches the device any more, until its network is back.
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
    /// Connections that got as far as a welcome.
    var welcomes: Int { state.withLock { $0.welcomes } }
    /// How often a record was lost that was acknowledged after a cut.
    var lostAfterCut: Int { state.withLock { $0.lostAfterCut } }
    /// What the daemon said that it must never say.
    var breaches: [String] { state.withLock { $0.breaches } }

    /// Errors and commands, as they came.
    var notes: [String] { state.withLock { $0.notes } }

    func note(_ json: String) {
        state.withLock { $0.notes.append(json) }
    }

    func send(upTo number: UInt32) {
        state.withLock { $0.sent = max($0.sent, number) }
    }

    /// The daemon's machine is gone: what its process still says nobody hears.
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
