package import Cluster
import Synchronization

#if NATS
    /// A ``ClusterStream`` on a stream of NATS JetStream.
    ///
    ///     append ──▶ NAME.changes ──▶ stream NAME on 1 to 5 servers ──▶ read
    ///     ask ─────▶ NAME.node.NODE ─────────────────────────────────▶ answer
    ///
    /// The first call connects. A lost connection is made again for ever, with any of the servers;
    /// calls meanwhile throw ``ClusterStreamError/unavailable(_:)``. Any thread may call, several
    /// at a time; two that read wait for each other. A call blocks for some 5 s at most, and `read`
    /// for its wait in addition.
    package final class NATSStream: ClusterStream {
        private struct Answering: Sendable {
            var node: String
            var answer: @Sendable ([UInt8]) -> [UInt8]
            var responder: Responder
        }

        private struct Failure: Sendable {
            var error: ClusterStreamError
            /// Monotonic seconds.
            var at: Double
        }

        /// Threads that waited for a connection to be made share its failure for so many seconds.
        private static let failureSeconds = 0.5

        package static let isBuilt = true

        private let settings: NATSSettings
        private let clock: @Sendable () -> Double
        private let connection = Mutex<NATSConnection?>(nil)
        /// Locked while a connection is made; `connection` is locked last.
        private let connecting = Mutex<Failure?>(nil)
        private let answering = Mutex<Answering?>(nil)
        private let consumer = Mutex<StreamConsumer?>(nil)

        /// - Parameters:
        ///   - settings: How the servers are reached. Files are read here and at each connection.
        ///   - clock: Monotonic seconds.
        /// - Throws: ``NATSStreamError/setting(_:)``.
        package init(
            _ settings: NATSSettings, clock: @escaping @Sendable () -> Double
        ) throws(NATSStreamError) {
            try NATSConnection.check(settings)
            self.settings = settings
            self.clock = clock
        }

        package func state() throws(ClusterStreamError) -> StreamState {
            let connection = try connected()
            if let state = try connection.state(of: settings.stream) { return state }
            try connection.makeStream(settings)
            if let state = try connection.state(of: settings.stream) { return state }
            throw .unavailable("stream \(settings.stream) was made, and is not there yet")
        }

        package func append(
            _ message: [UInt8], after last: UInt64, name: String
        ) throws(ClusterStreamError) -> UInt64 {
            let connection = try connected()
            switch try connection.publish(message, name: name, after: last, settings) {
            case .stored(let sequence): return sequence
            case .conflicting: break
            }
            return try settle(name, after: last, connection)
        }

        /// Finds out what became of a message that the servers refused.
        ///
        /// They compare the last sequence before the name, forget names after two minutes, and
        /// count messages that they may never agree on. So an earlier attempt may have stored this
        /// very message, and none may have been stored at all.
        private func settle(
            _ name: String, after last: UInt64, _ connection: NATSConnection
        ) throws(ClusterStreamError) -> UInt64 {
            guard let state = try connection.state(of: settings.stream) else {
                throw .unavailable("stream \(settings.stream) is not there")
            }
            // The stream is asked for its state first: the message may come at any moment.
            guard state.last > last else {
                throw .unavailable(
                    "its servers agree on messages up to \(state.last), \(last) is known")
            }
            if try connection.name(at: last + 1, of: settings.stream) == name { return last + 1 }
            throw .outranked(last: state.last)
        }

        package func read(
            from sequence: UInt64, waitingMilliseconds milliseconds: Int
        ) throws(ClusterStreamError) -> [StreamMessage] {
            let connection = try connected()
            return try consumer.withLock { consumer throws(ClusterStreamError) in
                let current: StreamConsumer
                if let kept = consumer, kept.continues(at: sequence, on: connection) {
                    current = kept
                } else {
                    consumer = nil
                    current = try StreamConsumer(
                        connection, settings.stream, from: sequence, clock: clock)
                    consumer = current
                }
                switch try current.read(waitingSeconds: Double(milliseconds) / 1000) {
                case .messages(let messages): return messages
                case .lost:
                    consumer = nil
                    return []
                }
            }
        }

        package func remove(below sequence: UInt64) throws(ClusterStreamError) {
            let connection = try connected()
            guard let state = try connection.state(of: settings.stream) else { return }
            // Beyond its last message the stream would skip sequences; at 0 it would remove all.
            let end = min(sequence, state.last + 1)
            guard end > state.first else { return }
            try connection.purge(below: end, of: settings.stream)
        }

        package func ask(
            node: String, _ question: [UInt8]
        ) throws(ClusterStreamError) -> [UInt8] {
            try connected().request(try subject(of: node), question)
        }

        package func answer(
            as node: String, _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]
        ) throws(ClusterStreamError) {
            let responder = try Responder(connected(), try subject(of: node), answer)
            answering.withLock {
                $0 = Answering(node: node, answer: answer, responder: responder)
            }
        }

        package func stopAnswering() {
            answering.withLock { $0 = nil }
        }

        private func subject(of node: String) throws(ClusterStreamError) -> String {
            guard let subject = settings.subject(ofNode: node) else {
                throw .unavailable(
                    "\"\(node)\" is no name of a node: use lower-case letters, digits and -")
            }
            return subject
        }

        // MARK: Connection

        private func connected() throws(ClusterStreamError) -> NATSConnection {
            if let connection = connection.withLock({ $0 }), !connection.isClosed {
                try connection.waitUntilConnected()
                return connection
            }
            return try connecting.withLock { failure throws(ClusterStreamError) in
                // Another thread was faster, or has just failed.
                if let connection = connection.withLock({ $0 }), !connection.isClosed {
                    return connection
                }
                if let failure, clock() - failure.at < Self.failureSeconds { throw failure.error }
                do throws(ClusterStreamError) {
                    let new = try NATSConnection(settings)
                    try answerOn(new)
                    connection.withLock { $0 = new }
                    failure = nil
                    return new
                } catch {
                    failure = Failure(error: error, at: clock())
                    throw error
                }
            }
        }

        /// Answers on a new connection what was answered on the one before.
        private func answerOn(_ connection: NATSConnection) throws(ClusterStreamError) {
            guard let old = answering.withLock({ $0 }) else { return }
            let responder = try Responder(connection, try subject(of: old.node), old.answer)
            answering.withLock { $0?.responder = responder }
        }
    }
#else
    /// The program was built without a library for NATS, and there can be no stream.
    package final class NATSStream: ClusterStream {
        package static let isBuilt = false

        package init(
            _ settings: NATSSettings, clock: @escaping @Sendable () -> Double
        ) throws(NATSStreamError) {
            throw .notBuilt
        }

        package func state() throws(ClusterStreamError) -> StreamState { throw Self.notBuilt }

        package func append(
            _ message: [UInt8], after last: UInt64, name: String
        ) throws(ClusterStreamError) -> UInt64 { throw Self.notBuilt }

        package func read(
            from sequence: UInt64, waitingMilliseconds milliseconds: Int
        ) throws(ClusterStreamError) -> [StreamMessage] { throw Self.notBuilt }

        package func remove(below sequence: UInt64) throws(ClusterStreamError) {
            throw Self.notBuilt
        }

        package func ask(
            node: String, _ question: [UInt8]
        ) throws(ClusterStreamError) -> [UInt8] { throw Self.notBuilt }

        package func answer(
            as node: String, _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]
        ) throws(ClusterStreamError) { throw Self.notBuilt }

        package func stopAnswering() {}

        private static var notBuilt: ClusterStreamError {
            .unavailable("\(NATSStreamError.notBuilt)")
        }
    }
#endif
