import Bytes
package import Secrets
import SensorModel
import Synchronization

/// One-time links to the administration page, and the sessions of that page.
///
/// Both live in memory only, as hashes: a restart ends them. Their ends count by a clock that
/// nobody can set.
package final class AdminSessions: Sendable {
    private struct Entry {
        let hash: SecretHash
        let end: ContinuousClock.Instant
        /// Duration of the session that a link opens; unused in a session.
        var session: Duration = .zero
    }

    private struct State {
        /// Unused links, the oldest first.
        var links: [Entry] = []
        /// The oldest first.
        var sessions: [Entry] = []
    }

    package static let linkLifetime = Duration.seconds(600)
    package static let sessionSeconds = 60.0...86_400
    /// Links, and sessions, at once; one more ends the oldest.
    package static let countMax = 4

    private let state = Mutex(State())
    private let clock: @Sendable () -> ContinuousClock.Instant

    /// - Parameter clock: Returns the present instant; tests pass their own.
    package init(clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.clock = clock
    }

    /// - Parameter session: Duration of the session that the link opens.
    /// - Returns: The secret of a new link.
    package func addLink(opening session: Duration) -> AdminSecret {
        state.withLock {
            add(to: &$0.links, endingIn: Self.linkLifetime, opening: session)
        }
    }

    /// Exchanges a link for a session, once.
    ///
    /// - Returns: The session's token and duration; `nil` for an unknown, used or expired link.
    package func open(_ link: AdminSecret) -> (token: AdminSecret, duration: Duration)? {
        let hash = link.hash
        return state.withLock { state in
            guard let index = index(of: hash, in: &state.links) else { return nil }
            let duration = state.links.remove(at: index).session
            return (add(to: &state.sessions, endingIn: duration), duration)
        }
    }

    package func isOpen(_ token: AdminSecret) -> Bool {
        let hash = token.hash
        return state.withLock { index(of: hash, in: &$0.sessions) != nil }
    }

    package func end(_ token: AdminSecret) {
        let hash = token.hash
        state.withLock { state in
            if let index = index(of: hash, in: &state.sessions) { state.sessions.remove(at: index) }
        }
    }

    /// Ends all links and sessions.
    package func endAll() { state.withLock { $0 = State() } }

    private func add(
        to entries: inout [Entry], endingIn lifetime: Duration, opening session: Duration = .zero
    ) -> AdminSecret {
        var generator = SystemRandomNumberGenerator()
        let secret = AdminSecret(using: &generator)
        let now = clock()
        entries.removeAll { $0.end <= now }
        if entries.count == Self.countMax { entries.removeFirst() }
        entries.append(
            Entry(hash: secret.hash, end: now.advanced(by: lifetime), session: session))
        return secret
    }

    /// - Returns: Index of the entry that has not ended; those that have are removed.
    private func index(of hash: SecretHash, in entries: inout [Entry]) -> Int? {
        let now = clock()
        entries.removeAll { $0.end <= now }
        return entries.firstIndex { ConstantTime.areEqual($0.hash, hash) }
    }
}
