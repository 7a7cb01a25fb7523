import Synchronization

/// What a device knows of its session: how far it has sent, and how far the daemon has promised to
/// keep. It outlives every daemon.
final class Ledger: Sendable {
    fileprivate struct State {
        var sent: UInt32 = 0
        var acknowledged: UInt32 = 0
        var welcomes = 0
        /// Nothing reaches the device any more, until it is welcomed again.
        var isCut = false
        var breaches: [String] = []
        var notes: [String] = []
    }

    private let state = Mutex(State())

    var sent: UInt32 { state.withLock { $0.sent } }
    var acknowledged: UInt32 { state.withLock { $0.acknowledged } }
    /// Connections that got as far as a welcome.
    var welcomes: Int { state.withLock { $0.welcomes } }
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

    func welcome(at number: UInt32) {
        state.withLock { state in
            state.isCut = false
            state.welcomes += 1
            if number < state.acknowledged {
                state.breaches.append("welcomed at \(number) after ack \(state.acknowledged)")
            }
            state.take(number)
        }
    }

    func acknowledge(_ number: UInt32) {
        state.withLock { state in
            guard !state.isCut else { return }
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
