#if NATS
    import CNATS
    import Cluster

    /// Answers the questions on one subject, on a thread of libnats', until it is freed.
    final class Responder: Sendable {
        private final class Answer: Sendable {
            let answer: @Sendable ([UInt8]) -> [UInt8]

            init(_ answer: @escaping @Sendable ([UInt8]) -> [UInt8]) {
                self.answer = answer
            }
        }

        private let connection: NATSConnection
        private let subscription: Handle

        init(
            _ connection: NATSConnection, _ subject: String,
            _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]
        ) throws(ClusterStreamError) {
            let own = unsafe Unmanaged.passRetained(Answer(answer)).toOpaque()
            var subscription: OpaquePointer?
            let status = unsafe natsConnection_Subscribe(
                &subscription, connection.pointer, subject,
                { connection, _, message, own in
                    unsafe Responder.respond(connection, message, own)
                }, own)
            guard status == NATS_OK else {
                unsafe Unmanaged<Answer>.fromOpaque(own).release()
                throw NATSConnection.unavailable(status, "answering on \(subject)")
            }
            // A question may be in the making when the subscription ends.
            unsafe natsSubscription_SetOnCompleteCB(
                subscription,
                { own in
                    guard let own = unsafe own else { return }
                    unsafe Unmanaged<Answer>.fromOpaque(own).release()
                }, own)
            self.connection = connection
            self.subscription = unsafe Handle(subscription)
            // Once the servers know of it, nobody hears that there is nobody.
            try connection.flush()
        }

        deinit {
            unsafe natsSubscription_Destroy(subscription.pointer)
        }

        func isOn(_ connection: NATSConnection) -> Bool { self.connection === connection }

        private static func respond(
            _ connection: OpaquePointer?, _ message: OpaquePointer?,
            _ own: UnsafeMutableRawPointer?
        ) {
            defer { unsafe natsMsg_Destroy(message) }
            guard let own = unsafe own, let subject = unsafe natsMsg_GetReply(message) else {
                return
            }
            let box = unsafe Unmanaged<Answer>.fromOpaque(own).takeUnretainedValue()
            let bytes = unsafe box.answer(NATSConnection.bytes(of: message))
            // An answer that does not go out is one that does not come: the other side asks again.
            unsafe natsConnection_Publish(connection, subject, bytes, Int32(bytes.count))
        }
    }
#endif
