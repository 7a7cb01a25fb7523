#if NATS
    import CNATS
    import Cluster

    /// The stream's messages from one sequence on, which the servers send as they come.
    ///
    /// The servers' object (a push consumer) is ephemeral, has no copies, and may be lost at any
    /// time. It numbers what it sends, and sends a heartbeat twice a second. So each loss is
    /// noticed, and the owner makes another. One thread at a time.
    final class StreamConsumer {
        enum Outcome {
            case messages([StreamMessage])
            /// The servers' object is gone, or has skipped messages: another is needed.
            case lost
        }

        private enum Item {
            case message(StreamMessage, number: UInt64)
            /// The servers' object is there, and has sent this many messages.
            case heartbeat(sent: UInt64?)
            case nothing
            case lost
        }

        private static let messagesMax = 256
        private static let bytesMax = 4 << 20
        /// Bytes that wait to be read. The servers send 32 MiB at most ahead of what was read.
        private static let waitingBytesMax: Int32 = 48 << 20
        private static let heartbeatNanoseconds: Int64 = 500_000_000
        /// Seconds without a heartbeat after which the servers' object counts as lost.
        private static let silenceSecondsMax = 1.5
        /// Seconds without a message after which the stream's state is compared.
        private static let comparisonSeconds = 2.0
        /// Seconds for which a message that the stream has may be on its way.
        private static let arrivalSecondsMax = 0.5
        /// The servers forget an object that nobody has listened to for so long.
        private static let forgetNanoseconds: Int64 = 10_000_000_000

        private let connection: NATSConnection
        private let stream: String
        private let clock: @Sendable () -> Double
        private let subscription: Handle
        private var nextSequence: UInt64
        /// Messages that came, those that were not wanted included.
        private var receivedCount: UInt64 = 0
        private var heardAt: Double
        private var compareAt: Double
        private var isBehind = false

        /// - Parameters:
        ///   - connection: A connection to the servers.
        ///   - stream: Name of the stream.
        ///   - sequence: The first that is wanted.
        ///   - clock: Monotonic seconds.
        /// - Throws: ``ClusterStreamError/unavailable(_:)``.
        init(
            _ connection: NATSConnection, _ stream: String, from sequence: UInt64,
            clock: @escaping @Sendable () -> Double
        ) throws(ClusterStreamError) {
            self.connection = connection
            self.stream = stream
            self.clock = clock
            nextSequence = max(sequence, 1)
            subscription = try Self.subscribe(connection, stream, from: nextSequence)
            heardAt = clock()
            compareAt = heardAt + Self.comparisonSeconds
        }

        deinit {
            unsafe natsSubscription_Destroy(subscription.pointer)
        }

        func continues(at sequence: UInt64, on connection: NATSConnection) -> Bool {
            max(sequence, 1) == nextSequence && connection === self.connection
        }

        /// Reads what has come, or waits for the first message.
        ///
        /// - Throws: ``ClusterStreamError/unavailable(_:)`` if nothing came, and the stream does
        ///   not answer either.
        func read(waitingSeconds: Double) throws(ClusterStreamError) -> Outcome {
            var messages: [StreamMessage] = []
            var bytes = 0
            let end = clock() + waitingSeconds
            while messages.count < Self.messagesMax, bytes < Self.bytesMax {
                switch next(until: messages.isEmpty ? end : 0) {
                case .message(let message, let number):
                    guard try accept(message, number: number) else { return .lost }
                    // A new object may begin with messages before the first that is wanted.
                    guard message.sequence >= nextSequence else { continue }
                    nextSequence = message.sequence + 1
                    bytes += message.bytes.count
                    messages.append(message)
                case .heartbeat(let sent):
                    if let sent, sent != receivedCount { return .lost }
                case .nothing:
                    if !messages.isEmpty { return .messages(messages) }
                    if clock() - heardAt > Self.silenceSecondsMax { return .lost }
                    guard try isComplete() else { return .lost }
                    if clock() >= end { return .messages([]) }
                case .lost: return .lost
                }
            }
            return .messages(messages)
        }

        /// - Returns: Whether nothing is missing before a message.
        private func accept(
            _ message: StreamMessage, number: UInt64
        ) throws(ClusterStreamError) -> Bool {
            guard number == receivedCount + 1 else { return false }
            receivedCount = number
            isBehind = false
            compareAt = heardAt + Self.comparisonSeconds
            guard message.sequence > nextSequence else { return true }
            return try isRemoved(upTo: message.sequence)
        }

        /// - Returns: Whether the stream itself lacks what did not come before a message.
        private func isRemoved(upTo sequence: UInt64) throws(ClusterStreamError) -> Bool {
            // Servers that do not know this message yet cannot say what came before it.
            guard let state = try connection.state(of: stream), state.last >= sequence else {
                return false
            }
            let first = max(nextSequence, state.first)
            if first >= sequence { return true }
            return try connection.name(at: first, of: stream) == nil
        }

        /// Compares with the stream, now and then while nothing comes: the servers' object may be
        /// there, and be cut off from the stream's other servers.
        private func isComplete() throws(ClusterStreamError) -> Bool {
            guard clock() >= compareAt else { return true }
            guard let state = try connection.state(of: stream) else { return false }
            let wasBehind = isBehind
            isBehind = state.last >= nextSequence
            compareAt = clock() + (isBehind ? Self.arrivalSecondsMax : Self.comparisonSeconds)
            return !(wasBehind && isBehind)
        }

        private func next(until end: Double) -> Item {
            let now = clock()
            let wakeAt = min(end, heardAt + Self.silenceSecondsMax, compareAt)
            var message: OpaquePointer?
            defer { unsafe natsMsg_Destroy(message) }
            let status = unsafe natsSubscription_NextMsg(
                &message, subscription.pointer, Int64(max(0, (wakeAt - now) * 1000).rounded(.up)))
            if status == NATS_TIMEOUT { return .nothing }
            guard status == NATS_OK else { return .lost }
            heardAt = clock()
            if let control = unsafe NATSConnection.header("Status", of: message) {
                return unsafe answer(control, message)
            }
            guard let reply = unsafe natsMsg_GetReply(message),
                let numbers = unsafe Self.numbers(in: String(cString: reply))
            else { return .lost }
            let bytes = unsafe NATSConnection.bytes(of: message)
            return .message(
                StreamMessage(sequence: numbers.sequence, bytes: bytes), number: numbers.count)
        }

        /// Answers what the servers' object says beside messages.
        private func answer(_ control: String, _ message: OpaquePointer?) -> Item {
            // Anything else than "I am here" ends it: it was deleted, or its server goes.
            guard control == "100" else { return .lost }
            // It sends no more until it hears that all before this was read.
            if let stalled = unsafe NATSConnection.header("Nats-Consumer-Stalled", of: message) {
                unsafe natsConnection_PublishString(connection.pointer, stalled, "")
            } else if let reply = unsafe natsMsg_GetReply(message) {
                unsafe natsConnection_PublishString(connection.pointer, reply, "")
            }
            let sent = unsafe NATSConnection.header("Nats-Last-Consumer", of: message)
            return .heartbeat(sent: sent.flatMap { UInt64($0) })
        }

        /// - Returns: The message's sequence, and its number among those that this object has sent.
        private static func numbers(in reply: String) -> (sequence: UInt64, count: UInt64)? {
            // $JS.ACK.STREAM.CONSUMER.DELIVERIES.SEQUENCE.COUNT.TIME.PENDING; a newer form has the
            // domain and the account after ACK.
            let parts = reply.split(separator: ".")
            guard parts.count >= 9, parts[0] == "$JS", parts[1] == "ACK" else { return nil }
            let place = parts.count == 9 ? 5 : 7
            guard parts.count > place + 1, let sequence = UInt64(parts[place]),
                let count = UInt64(parts[place + 1])
            else { return nil }
            return (sequence, count)
        }

        private static func subscribe(
            _ connection: NATSConnection, _ stream: String, from sequence: UInt64
        ) throws(ClusterStreamError) -> Handle {
            var inbox: UnsafeMutablePointer<natsInbox>?
            defer { unsafe natsInbox_Destroy(inbox) }
            var subscription: OpaquePointer?
            var status = unsafe natsInbox_Create(&inbox)
            if status == NATS_OK {
                status = unsafe natsConnection_SubscribeSync(
                    &subscription, connection.pointer, inbox)
            }
            if status == NATS_OK {
                status = unsafe natsSubscription_SetPendingLimits(
                    subscription, -1, waitingBytesMax)
            }
            var code = jsErrCode(0)
            if status == NATS_OK {
                var configuration = unsafe jsConsumerConfig()
                unsafe jsConsumerConfig_Init(&configuration)
                unsafe configuration.DeliverSubject = UnsafePointer(inbox)
                unsafe configuration.DeliverPolicy = js_DeliverByStartSequence
                unsafe configuration.OptStartSeq = sequence
                unsafe configuration.AckPolicy = js_AckNone
                unsafe configuration.FlowControl = true
                unsafe configuration.Heartbeat = heartbeatNanoseconds
                unsafe configuration.InactiveThreshold = forgetNanoseconds
                unsafe configuration.Replicas = 1
                unsafe configuration.MemoryStorage = true
                status = unsafe js_AddConsumer(
                    nil, connection.jetStream, stream, &configuration, nil, &code)
            }
            guard status == NATS_OK else {
                let error = NATSConnection.unavailable(
                    status, "reading from message \(sequence)", code)
                unsafe natsSubscription_Destroy(subscription)
                throw error
            }
            return unsafe Handle(subscription)
        }
    }
#endif
