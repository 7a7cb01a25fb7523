#if NATS
    import CNATS
    import Cluster

    /// One connection to the servers, which libnats makes again whenever it is lost.
    ///
    /// Any thread may use it, several at a time. No call blocks for more than some 2 s.
    final class NATSConnection: Sendable {
        /// Longest wait for an answer of the servers.
        static let answerMilliseconds: Int64 = 2000
        /// Longest wait for a lost connection to come back.
        private static let returnMilliseconds: Int64 = 1000
        private static let pollMilliseconds: Int64 = 20

        private let connection: Handle
        private let stream: Handle

        /// - Throws: ``NATSStreamError`` if a setting, or a file, cannot be used.
        static func check(_ settings: NATSSettings) throws(NATSStreamError) {
            let options = try NATSOptions(settings)
            withExtendedLifetime(options) {}
        }

        /// Connects to one of the servers.
        ///
        /// - Throws: ``ClusterStreamError/unavailable(_:)`` if none answers, after some 4 s.
        init(_ settings: NATSSettings) throws(ClusterStreamError) {
            let options: NATSOptions
            do {
                options = try NATSOptions(settings)
            } catch {
                throw .unavailable("\(error)")
            }
            var connection: OpaquePointer?
            var status = unsafe natsConnection_Connect(&connection, options.handle.pointer)
            guard status == NATS_OK else { throw Self.unavailable(status, "connecting") }
            var jetStreamOptions = unsafe jsOptions()
            unsafe jsOptions_Init(&jetStreamOptions)
            unsafe jetStreamOptions.Wait = Self.answerMilliseconds
            var stream: OpaquePointer?
            status = unsafe natsConnection_JetStream(&stream, connection, &jetStreamOptions)
            guard status == NATS_OK else {
                unsafe natsConnection_Destroy(connection)
                throw Self.unavailable(status, "using JetStream")
            }
            self.connection = unsafe Handle(connection)
            self.stream = unsafe Handle(stream)
        }

        deinit {
            unsafe jsCtx_Destroy(stream.pointer)
            unsafe natsConnection_Destroy(connection.pointer)
        }

        /// For the calls of libnats in other files; it lives as long as this object.
        var pointer: OpaquePointer? { unsafe connection.pointer }

        /// Its context of JetStream; it lives as long as this object.
        var jetStream: OpaquePointer? { unsafe stream.pointer }

        /// Whether the library has given up: a server refused the client twice.
        var isClosed: Bool { unsafe natsConnection_IsClosed(pointer) }

        /// Waits for a lost connection to come back.
        func waitUntilConnected() throws(ClusterStreamError) {
            for _ in 0..<Self.returnMilliseconds / Self.pollMilliseconds {
                let status = unsafe natsConnection_Status(pointer)
                if status == NATS_CONN_STATUS_CONNECTED { return }
                if status == NATS_CONN_STATUS_CLOSED { break }
                nats_Sleep(Self.pollMilliseconds)
            }
            throw .unavailable("the connection to NATS is lost, and is tried again")
        }

        // MARK: Questions

        func request(
            _ subject: String, _ question: [UInt8]
        ) throws(ClusterStreamError) -> [UInt8] {
            var reply: OpaquePointer?
            defer { unsafe natsMsg_Destroy(reply) }
            let status = unsafe natsConnection_Request(
                &reply, pointer, subject, question, Int32(question.count), Self.answerMilliseconds)
            if status == NATS_NO_RESPONDERS { throw .nobody }
            guard status == NATS_OK else { throw Self.unavailable(status, "asking \(subject)") }
            return unsafe Self.bytes(of: reply)
        }

        /// Waits until the servers have all that was sent.
        func flush() throws(ClusterStreamError) {
            let status = unsafe natsConnection_FlushTimeout(pointer, Self.answerMilliseconds)
            guard status == NATS_OK else { throw Self.unavailable(status, "writing") }
        }

        // MARK: What libnats gives

        static func bytes(of message: OpaquePointer?) -> [UInt8] {
            let count = unsafe natsMsg_GetDataLength(message)
            guard count > 0, let start = unsafe natsMsg_GetData(message) else { return [] }
            return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
        }

        static func header(_ name: String, of message: OpaquePointer?) -> String? {
            var value: UnsafePointer<CChar>?
            guard unsafe natsMsgHeader_Get(message, name, &value) == NATS_OK,
                let value = unsafe value
            else { return nil }
            return unsafe String(cString: value)
        }

        /// - Returns: The error of the call that this thread made last.
        static func unavailable(
            _ status: natsStatus, _ doing: String, _ code: jsErrCode = jsErrCode(0)
        ) -> ClusterStreamError {
            .unavailable("\(doing): \(text(of: status, code))")
        }

        /// - Returns: What the library says of the call that this thread made last.
        static func text(of status: natsStatus, _ code: jsErrCode = jsErrCode(0)) -> String {
            let name = unsafe String(cString: natsStatus_GetText(status))
            var last = NATS_OK
            guard let detail = unsafe nats_GetLastError(&last), last == status else { return name }
            // It begins with a place in the library's code: "(conn.c:2088): ".
            let words = unsafe String(cString: detail).replacing(#/^\(\w+\.c:\d+\): /#, with: "")
            if code.rawValue != 0 { return "\(words) (\(code.rawValue))" }
            return words.isEmpty || words == name ? name : "\(name): \(words)"
        }
    }

    /// A pointer of libnats to an object that any thread may use.
    struct Handle: Sendable {
        private let bits: UInt

        init(_ pointer: OpaquePointer?) {
            bits = UInt(bitPattern: pointer)
        }

        var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: bits) }
    }
#endif
