#if NATS
    import CNATS
    import Cluster

    /// What the connection asks of JetStream.
    extension NATSConnection {
        enum Publication {
            case stored(UInt64)
            /// The stream's last sequence is, or will be, another than expected; or the same
            /// message is on its way.
            case conflicting
        }

        /// Names a message among all of the stream.
        private static let nameHeader = "Nats-Msg-Id"
        private static let expectedLastHeader = "Nats-Expected-Last-Sequence"
        /// Codes of errors that the library's header does not have yet: a message with the same
        /// number is not decided yet; the same message is not decided yet.
        private static let undecidedCodes: [UInt32] = [10_164, 10_158]

        func publish(
            _ bytes: [UInt8], name: String, after last: UInt64, _ settings: NATSSettings
        ) throws(ClusterStreamError) -> Publication {
            var message: OpaquePointer?
            defer { unsafe natsMsg_Destroy(message) }
            var status = unsafe bytes.withUnsafeBytes { bytes in
                unsafe natsMsg_Create(
                    &message, settings.changesSubject, nil,
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
            }
            // The library's own option cannot say 0.
            if status == NATS_OK {
                status = unsafe natsMsgHeader_Set(message, Self.expectedLastHeader, "\(last)")
            }
            if status == NATS_OK {
                status = unsafe natsMsgHeader_Set(message, Self.nameHeader, name)
            }
            guard status == NATS_OK else { throw Self.unavailable(status, "writing a message") }
            var acknowledgement: UnsafeMutablePointer<jsPubAck>?
            defer { unsafe jsPubAck_Destroy(acknowledgement) }
            var code = jsErrCode(0)
            status = unsafe settings.stream.withCString { stream in
                var options = unsafe jsPubOptions()
                unsafe jsPubOptions_Init(&options)
                unsafe options.MaxWait = Self.answerMilliseconds
                unsafe options.ExpectStream = stream
                return unsafe js_PublishMsg(&acknowledgement, jetStream, message, &options, &code)
            }
            if status == NATS_OK, let acknowledgement = unsafe acknowledgement {
                return .stored(unsafe acknowledgement.pointee.Sequence)
            }
            if code == JSStreamWrongLastSequenceErr || Self.undecidedCodes.contains(code.rawValue) {
                return .conflicting
            }
            throw Self.unavailable(status, "writing a message", code)
        }

        /// - Returns: The name of a message that the stream has; `nil`: it has none at `sequence`.
        func name(
            at sequence: UInt64, of stream: String
        ) throws(ClusterStreamError) -> String? {
            var message: OpaquePointer?
            defer { unsafe natsMsg_Destroy(message) }
            var code = jsErrCode(0)
            let status = unsafe js_GetMsg(&message, jetStream, stream, sequence, nil, &code)
            if code == JSNoMessageFoundErr || status == NATS_NOT_FOUND { return nil }
            guard status == NATS_OK else {
                throw Self.unavailable(status, "reading message \(sequence)", code)
            }
            return unsafe Self.header(Self.nameHeader, of: message) ?? ""
        }

        /// - Returns: `nil`: there is no such stream.
        func state(of stream: String) throws(ClusterStreamError) -> StreamState? {
            var answer: UnsafeMutablePointer<jsStreamInfo>?
            defer { unsafe jsStreamInfo_Destroy(answer) }
            var code = jsErrCode(0)
            let status = unsafe js_GetStreamInfo(&answer, jetStream, stream, nil, &code)
            if code == JSStreamNotFoundErr || (status == NATS_NOT_FOUND && code.rawValue == 0) {
                return nil
            }
            guard status == NATS_OK, let answer = unsafe answer else {
                throw Self.unavailable(status, "looking at stream \(stream)", code)
            }
            let state = unsafe answer.pointee.State
            let last = unsafe state.LastSeq
            // A stream that never had a message says 0.
            let first = unsafe max(state.FirstSeq, 1)
            return StreamState(
                identity: unsafe answer.pointee.Created / 1000, first: first, last: last)
        }

        func makeStream(_ settings: NATSSettings) throws(ClusterStreamError) {
            var answer: UnsafeMutablePointer<jsStreamInfo>?
            defer { unsafe jsStreamInfo_Destroy(answer) }
            var code = jsErrCode(0)
            let status = unsafe settings.stream.withCString { name in
                unsafe settings.changesSubject.withCString { subject in
                    var subjects: UnsafePointer<CChar>? = unsafe subject
                    return unsafe withUnsafeMutablePointer(to: &subjects) { subjects in
                        var configuration = unsafe jsStreamConfig()
                        unsafe jsStreamConfig_Init(&configuration)
                        unsafe configuration.Name = name
                        unsafe configuration.Subjects = subjects
                        unsafe configuration.SubjectsLen = 1
                        unsafe configuration.Storage = js_FileStorage
                        unsafe configuration.Discard = js_DiscardOld
                        unsafe configuration.MaxBytes = settings.bytesMax
                        unsafe configuration.Replicas = Int64(settings.replicas)
                        // Its leader removes what is old. Without a leader nothing is
                        // removed: a node could not tell any more whether it has everything.
                        unsafe configuration.Duplicates = 120 * 1_000_000_000
                        return unsafe js_AddStream(
                            &answer, jetStream, &configuration, nil, &code)
                    }
                }
            }
            // Another node was faster.
            if status == NATS_OK || code == JSStreamNameExistErr { return }
            throw Self.unavailable(status, "making stream \(settings.stream)", code)
        }

        func purge(below sequence: UInt64, of stream: String) throws(ClusterStreamError) {
            var options = unsafe jsOptions()
            unsafe jsOptions_Init(&options)
            unsafe options.Stream.Purge.Sequence = sequence
            unsafe options.Wait = Self.answerMilliseconds
            var code = jsErrCode(0)
            let status = unsafe js_PurgeStream(jetStream, stream, &options, &code)
            guard status == NATS_OK else {
                throw Self.unavailable(status, "removing messages below \(sequence)", code)
            }
        }
    }
#endif
