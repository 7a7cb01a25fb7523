import SegmentLog
import Synchronization

/// Sends the leader's changes into the stream, in order, and knows which the stream has.
///
/// Each message is appended only directly after the one before it. So the first that fails because
/// another node has written ends the term for good: nothing of this node enters the stream
/// afterwards. The thread `cluster` sends; without it, as in simulations, ``waitUntilKept()`` and
/// ``resign()`` send in place.
public final class Replicator: Sendable {
    /// Time between two messages if there is no change, ms: a small part of the silence after which
    /// another node takes over.
    public static let beatMilliseconds = 200
    /// A leader without an answer for this long ends its term by itself, ms. The servers of a
    /// stream were seen to need up to 9 s to choose a leader of their own. ``offsetJump`` is
    /// longer.
    public static let patienceMilliseconds = 20_000
    /// Jump of the log's offsets at a takeover (``LogConfiguration/offsetJump``), µs of arrival
    /// time: an isolated leader ends before it reaches the offsets of the next one.
    public static let offsetJump: UInt64 = 1 << 25
    /// The same for a leader that is told to end, ms: systemd waits 15 s.
    private static let hurriedMilliseconds = 4000
    /// Pause after a failed attempt, ms.
    private static let pauseMilliseconds = 50

    public enum Ending: Hashable, Sendable {
        /// Another node has written to the stream.
        case outranked
        /// The stream did not answer for ``patienceMilliseconds``; its last error.
        case isolated(String)
        /// ``resign()``: the stream has all changes, and says so.
        case resigned
    }

    /// What ``status`` returns.
    public struct Status: Hashable, Sendable {
        public var node: String
        public var term: UInt64
        /// The stream's last sequence, as far as this node knows.
        public var sequence: UInt64
        /// Changes that the stream does not have yet, bytes.
        public var waitingBytes: Int
        /// Time since the stream's last answer, ms.
        public var silentMilliseconds: Int
        /// Why the last attempt failed; `nil`: it did not.
        public var trouble: String?
    }

    public let node: String
    /// Sequence of this node's claim.
    public let term: UInt64
    private let stream: any ClusterStream
    private let clock: @Sendable () -> Int
    private let ended: @Sendable (Ending) -> Void
    private let state: Mutex<State>
    private let wakeup = AutoResetEvent()
    private let waiters = Mutex<[AutoResetEvent]>([])
    private let thread = Mutex<LogThread?>(nil)

    /// - Parameters:
    ///   - stream: The stream.
    ///   - node: This node.
    ///   - term: Sequence of its claim, the stream's last.
    ///   - clock: Monotonic time, ms.
    ///   - ended: Called once, when the term has ended, on the thread that notices.
    public init(
        _ stream: any ClusterStream, node: String, term: UInt64,
        clock: @escaping @Sendable () -> Int, ended: @escaping @Sendable (Ending) -> Void
    ) {
        self.stream = stream
        self.node = node
        self.term = term
        self.clock = clock
        self.ended = ended
        let now = clock()
        state = Mutex(State(sequence: term, answered: now, sent: now))
    }

    public var status: Status {
        let now = clock()
        return state.withLock { state in
            Status(
                node: node, term: term, sequence: state.sequence,
                waitingBytes: state.outbox.bytes, silentMilliseconds: now - state.answered,
                trouble: state.trouble)
        }
    }

    /// `nil`: the term goes on.
    public var ending: Ending? { state.withLock { $0.ending } }

    /// Groups of changes that were added, and that the stream has.
    var added: UInt64 { state.withLock { $0.outbox.added } }
    var kept: UInt64 { state.withLock { $0.outbox.kept } }

    /// Starts the thread.
    ///
    /// - Returns: Whether the system has created it.
    public func start() -> Bool {
        thread.withLock { thread in
            thread = LogThread { [self] in
                while ending == nil { if !step() { wakeup.wait(timeoutMicroseconds: pause) } }
            }
            return thread != nil
        }
    }

    private var pause: Int {
        let beat = Self.beatMilliseconds
        let isFailing = state.withLock { $0.trouble != nil }
        return 1000 * (isFailing ? Self.pauseMilliseconds : beat)
    }

    /// Adds changes that count together: another node takes over with all of them or with none. Any
    /// thread; the order of calls is the order of the stream.
    public func add(_ changes: [FileChange]) {
        let isWaiting = state.withLock { state in
            guard state.ending == nil else { return false }
            state.outbox.add(changes)
            return true
        }
        if isWaiting { wakeup.wake() }
    }

    /// Blocks until the stream has all changes that were added before.
    ///
    /// - Parameter milliseconds: Longest wait.
    /// - Returns: Whether it has; `false`: the time or the term has ended before.
    public func waitUntilKept(within milliseconds: Int = .max / 2) -> Bool {
        let end = clock() + milliseconds
        // After the end changes are dropped: nothing that is added then is ever kept.
        let added = state.withLock { $0.ending == nil ? $0.outbox.added : nil }
        guard let target = added else { return false }
        let event = AutoResetEvent()
        waiters.withLock { $0.append(event) }
        defer { waiters.withLock { waiters in waiters.removeAll { $0 === event } } }
        while true {
            let (isKept, isOver) = state.withLock { ($0.outbox.kept >= target, $0.ending != nil) }
            if isKept || isOver || clock() >= end { return isKept }
            if thread.withLock({ $0 == nil }) {
                step()
            } else {
                event.wait(timeoutMicroseconds: 1000 * Self.beatMilliseconds)
            }
        }
    }

    /// Sends what is left and ends the term, so that another node can take over at once. Blocks.
    ///
    /// - Returns: How the term has ended.
    public func resign() -> Ending {
        state.withLock { $0.isResigning = true }
        wakeup.wake()
        if let running = thread.withLock({ $0 }) { running.join() }
        while true {
            if let ending { return ending }
            step()
        }
    }

    /// Ends the term if the stream has not answered for ``patienceMilliseconds``. Any thread: the
    /// one that sends may be blocked in a call.
    public func endIfIsolated() {
        let status = status
        let patience = state.withLock { $0.patienceMilliseconds }
        guard status.silentMilliseconds > patience else { return }
        end(.isolated(status.trouble ?? "the stream does not answer"))
    }

    /// Waits for the stream no longer than ``hurriedMilliseconds``: the process is to end.
    public func hurry() {
        state.withLock { $0.patienceMilliseconds = Self.hurriedMilliseconds }
    }

    /// Sends one message, if one is due.
    ///
    /// - Returns: Whether another may be due.
    @discardableResult
    public func step() -> Bool {
        let now = clock()
        guard let (message, name, last) = state.withLock({ $0.next(node, term, at: now) }) else {
            return false
        }
        do throws(ClusterStreamError) {
            let sequence = try stream.append(message.bytes, after: last, name: name)
            let now = clock()
            let ending = state.withLock { $0.kept(message, as: sequence, at: now) }
            if let ending { end(ending) }
            wakeWaiters()
            return true
        } catch {
            switch error {
            case .outranked: end(.outranked)
            case .unavailable, .nobody, .notAuthentic:
                state.withLock { $0.trouble = "\(error)" }
                endIfIsolated()
            }
            return false
        }
    }

    private func end(_ ending: Ending) {
        let isFirst = state.withLock { state in
            guard state.ending == nil else { return false }
            state.ending = ending
            state.outbox.clear()
            return true
        }
        wakeWaiters()
        if isFirst { ended(ending) }
    }

    private func wakeWaiters() { waiters.withLock { for waiter in $0 { waiter.wake() } } }
}
