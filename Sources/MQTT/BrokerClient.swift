import Foundation
import Synchronization

/// A client of one MQTT broker: it keeps retained messages there, and takes the messages of given
/// topics. Thread `mqtt` connects, and connects again after a failure. Any thread may put messages.
///
///     put ──▶ RetainedMessages ──▶ thread mqtt ──▶ broker ──▶ thread mqtt ──▶ received
package final class BrokerClient: Sendable {
    package enum Change: Hashable, Sendable {
        case connected
        /// The connection ended, or there was none. `attempts` counts the failures in a row; a
        /// connection that lasted for less than a minute is one of them.
        case disconnected(reason: String, attempts: Int)
        /// The broker refuses something that the client may not do there.
        case refused(what: String, reason: String)
    }

    /// What thread `mqtt` calls. Nothing of it may block.
    package struct Callbacks: Sendable {
        /// Takes a message, and says whether its topic is wanted; if not, the client unsubscribes.
        let received: @Sendable (BrokerMessage) -> Bool
        let changed: @Sendable (Change) -> Void

        package init(
            received: @escaping @Sendable (BrokerMessage) -> Bool,
            changed: @escaping @Sendable (Change) -> Void
        ) {
            self.received = received
            self.changed = changed
        }
    }

    /// A message that somebody waits for the broker to take.
    struct Awaited: Sendable {
        let message: BrokerMessage
        let isTaken: CheckedContinuation<Bool, Never>
    }

    private struct State: Sendable {
        var messages = RetainedMessages()
        var awaited: [Awaited] = []
        var isConnected = false
        var isStopping = false
        /// Monotonic seconds.
        var acceptedAt = 0.0
    }

    /// Whether the program was built with an MQTT library.
    package static var isBuilt: Bool { BrokerConnection.isBuilt }
    /// Longest message that is taken, in bytes; a position of OwnTracks needs some 400.
    package static let messageBytesMax = 16 << 10
    /// Messages that wait to be sent and are awaited.
    static let awaitedMax = 64

    private static let waitSecondsMax = 60
    /// Two clients of one name end each other's connections, at once and for ever.
    private static let steadySeconds = 60.0
    /// Seconds for the farewell; the broker gives the will to subscribers if it does not come.
    private static let stopSeconds = 2

    let settings: BrokerSettings
    private let clock: @Sendable () -> Double
    private let state = Mutex(State())
    private let wakeup = DispatchSemaphore(value: 0)
    private let finished = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - settings: How the broker is reached, and what is asked of it.
    ///   - clock: Monotonic seconds.
    package init(_ settings: BrokerSettings, clock: @escaping @Sendable () -> Double) {
        self.settings = settings
        self.clock = clock
    }

    package func start(_ callbacks: Callbacks) {
        let thread = Thread { [self] in run(callbacks) }
        thread.name = "mqtt"
        thread.start()
    }

    /// Says goodbye to the broker. A broker that does not answer is waited for 2 s at most.
    package func stop() {
        state.withLock { $0.isStopping = true }
        wakeup.signal()
        _ = finished.wait(timeout: .now() + .seconds(Self.stopSeconds))
    }

    package var isConnected: Bool { state.withLock { $0.isConnected } }

    /// Puts the message that its topic should keep. Without a connection it is dropped.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - isForeign: Whether its topic is not the daemon's own, and is only cleared.
    package func put(_ message: BrokerMessage, isForeign: Bool = false) {
        let now = clock()
        state.withLock { state in
            guard state.isConnected else { return }
            state.messages.put(message, at: now, isForeign: isForeign)
        }
    }

    /// Sends a message, and waits for the broker to acknowledge it.
    ///
    /// - Parameter message: The message. The broker keeps it only if it is retained.
    /// - Returns: Whether the broker has taken it; `false` at once without a connection, or if too
    ///   many wait.
    package func deliver(_ message: BrokerMessage) async -> Bool {
        await withCheckedContinuation { isTaken in
            let isAdmitted = state.withLock { state in
                guard state.isConnected, state.awaited.count < Self.awaitedMax else { return false }
                state.awaited.append(Awaited(message: message, isTaken: isTaken))
                return true
            }
            if !isAdmitted { isTaken.resume(returning: false) }
        }
    }

    // MARK: Thread mqtt

    var isStopping: Bool { state.withLock { $0.isStopping } }

    func takeNext() -> BrokerMessage? { state.withLock { $0.messages.takeNext() } }

    func takeAwaited() -> Awaited? {
        state.withLock { $0.awaited.isEmpty ? nil : $0.awaited.removeFirst() }
    }

    /// Notes that the broker has accepted the client.
    func begin() {
        let now = clock()
        state.withLock { state in
            state.isConnected = true
            state.acceptedAt = now
        }
    }

    private func run(_ callbacks: Callbacks) {
        var attempts = 0
        while !isStopping {
            let reason = BrokerConnection.serve(self, callbacks)
            let now = clock()
            let (wasSteady, unsent) = state.withLock { state in
                defer {
                    state.isConnected = false
                    state.messages.removeAll()
                    state.awaited = []
                }
                let isSteady = state.isConnected && now - state.acceptedAt >= Self.steadySeconds
                return (isSteady, state.awaited)
            }
            for awaited in unsent { awaited.isTaken.resume(returning: false) }
            if isStopping { break }
            attempts = wasSteady ? 1 : attempts + 1
            callbacks.changed(.disconnected(reason: reason, attempts: attempts))
            let seconds = min(Self.waitSecondsMax, 1 << min(attempts - 1, 6))
            _ = wakeup.wait(timeout: .now() + .seconds(seconds))
        }
        finished.signal()
    }
}
