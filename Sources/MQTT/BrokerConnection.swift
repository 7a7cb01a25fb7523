#if MQTT
    import CMosquitto

    /// One connection to a broker by libmosquitto, with MQTT 5. Thread `mqtt` only.
    final class BrokerConnection {
        static let isBuilt = true

        /// Seconds of silence after which the broker is asked whether it is there.
        private static let keepaliveSeconds: Int32 = 30
        /// Longest sleep before a message that was put is sent.
        private static let sleepMilliseconds: Int32 = 200
        /// Messages that the broker has not acknowledged; more wait in ``RetainedMessages``.
        private static let unacknowledgedMax = 16
        /// Seconds for which the broker keeps messages of a client that is away.
        private static let sessionSeconds: UInt32 = 3600
        /// Turns of the loop in which the last messages and the farewell are sent.
        private static let farewellTurns = 10
        /// Reasons of a broker are numbers from this on (MQTT 5, 2.4).
        private static let brokersReasonMin: Int32 = 0x80
        private static let library = mosquitto_lib_init()

        private let client: BrokerClient
        private let callbacks: BrokerClient.Callbacks
        private var unacknowledged = 0
        /// Whoever waits for an acknowledgement, by the message's number.
        private var waiting: [Int32: CheckedContinuation<Bool, Never>] = [:]
        private var isAccepted = false
        /// Why the broker did not accept the client, or ended the connection.
        private var refusal: String?
        private var toldRefusals: Set<String> = []

        private init(_ client: BrokerClient, _ callbacks: BrokerClient.Callbacks) {
            self.client = client
            self.callbacks = callbacks
        }

        /// Connects, and exchanges messages until the connection ends or the client stops.
        ///
        /// - Returns: Why it ended.
        static func serve(_ client: BrokerClient, _ callbacks: BrokerClient.Callbacks) -> String {
            let connection = BrokerConnection(client, callbacks)
            guard library == MOSQ_ERR_SUCCESS.rawValue else { return "libmosquitto does not start" }
            let status = connection.serve()
            for waiting in connection.waiting.values { waiting.resume(returning: false) }
            return unsafe connection.refusal ?? String(cString: mosquitto_strerror(status))
        }

        private func serve() -> Int32 {
            let settings = client.settings
            // Without topics nothing needs to be kept for a client that is away.
            let own = unsafe Unmanaged.passUnretained(self).toOpaque()
            guard
                let handle = unsafe mosquitto_new(settings.clientID, settings.topics.isEmpty, own)
            else { return Int32(MOSQ_ERR_NOMEM.rawValue) }
            defer { unsafe mosquitto_destroy(handle) }
            var status = unsafe configure(handle)
            if status == 0 { status = unsafe connect(handle) }
            while status == 0, !client.isStopping {
                unsafe sendWaiting(handle)
                status = unsafe mosquitto_loop(handle, Self.sleepMilliseconds, 1)
            }
            if status == 0 { unsafe sayGoodbye(handle) }
            return status
        }

        private func configure(_ handle: OpaquePointer) -> Int32 {
            let settings = client.settings
            unsafe mosquitto_int_option(
                handle, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5)
            unsafe setCallbacks(of: handle)
            let will = Array("offline".utf8)
            var status = unsafe mosquitto_will_set(
                handle, settings.statusTopic, Int32(will.count), will, 1, true)
            if status == 0, let user = settings.user {
                status = unsafe mosquitto_username_pw_set(handle, user, settings.password)
            }
            if status == 0, let file = settings.authoritiesFile {
                status = unsafe mosquitto_tls_set(handle, file, nil, nil, nil, nil)
                if status != 0 { refusal = "mqtt.ca_file cannot be used" }
            }
            return status
        }

        private func setCallbacks(of handle: OpaquePointer) {
            unsafe mosquitto_connect_v5_callback_set(handle) { handle, own, reason, _, _ in
                guard let handle = unsafe handle, let own = unsafe own else { return }
                unsafe BrokerConnection.at(own).answered(reason, handle)
            }
            unsafe mosquitto_disconnect_v5_callback_set(handle) { _, own, reason, _ in
                guard let own = unsafe own else { return }
                unsafe BrokerConnection.at(own).ended(reason)
            }
            unsafe mosquitto_publish_v5_callback_set(handle) { _, own, number, reason, _ in
                guard let own = unsafe own else { return }
                unsafe BrokerConnection.at(own).acknowledged(number, reason)
            }
            unsafe mosquitto_subscribe_callback_set(handle) { _, own, _, count, granted in
                guard let own = unsafe own, let granted = unsafe granted, count > 0 else { return }
                unsafe BrokerConnection.at(own).note("reading a topic", granted.pointee)
            }
            unsafe mosquitto_message_callback_set(handle) { handle, own, message in
                guard let handle = unsafe handle, let own = unsafe own,
                    let message = unsafe message
                else { return }
                unsafe BrokerConnection.at(own).received(message.pointee, handle)
            }
        }

        private static func at(_ own: UnsafeMutableRawPointer) -> BrokerConnection {
            unsafe Unmanaged<BrokerConnection>.fromOpaque(own).takeUnretainedValue()
        }

        private func connect(_ handle: OpaquePointer) -> Int32 {
            let settings = client.settings
            var properties: OpaquePointer?
            defer { unsafe mosquitto_property_free_all(&properties) }
            // The broker sends nothing longer. libmosquitto itself has no bound.
            let bytesMax = UInt32(2 * BrokerClient.messageBytesMax)
            unsafe mosquitto_property_add_int32(
                &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), bytesMax)
            if !settings.topics.isEmpty {
                unsafe mosquitto_property_add_int32(
                    &properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue),
                    Self.sessionSeconds)
            }
            return unsafe mosquitto_connect_bind_v5(
                handle, settings.host, Int32(settings.port), Self.keepaliveSeconds, nil,
                properties)
        }

        private func answered(_ reason: Int32, _ handle: OpaquePointer) {
            guard reason == 0 else {
                refusal = unsafe String(cString: mosquitto_reason_string(reason))
                return
            }
            isAccepted = true
            refusal = nil
            let settings = client.settings
            let noEcho = Int32(MQTT_SUB_OPT_NO_LOCAL.rawValue)
            // A position that the broker kept is old: it must not begin a run.
            let onlyNew = noEcho | Int32(MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue)
            for topic in settings.ownTopics {
                unsafe mosquitto_subscribe_v5(handle, nil, topic, 1, noEcho, nil)
            }
            for topic in settings.topics {
                unsafe mosquitto_subscribe_v5(handle, nil, topic, 1, onlyNew, nil)
            }
            client.begin()
            callbacks.changed(.connected)
            unsafe send(
                BrokerMessage(topic: settings.statusTopic, payload: Array("online".utf8)), handle)
        }

        private func acknowledged(_ number: Int32, _ reason: Int32) {
            unacknowledged -= 1
            waiting.removeValue(forKey: number)?.resume(returning: reason < Self.brokersReasonMin)
            note("writing to a topic", reason)
        }

        /// Tells, once a connection, that the client lacks a right at the broker.
        private func note(_ what: String, _ reason: Int32) {
            guard reason >= Self.brokersReasonMin, toldRefusals.insert(what).inserted else {
                return
            }
            let text = unsafe String(cString: mosquitto_reason_string(reason))
            callbacks.changed(.refused(what: what, reason: text))
        }

        /// Notes why the broker ended the connection.
        private func ended(_ reason: Int32) {
            // Smaller numbers are libmosquitto's own, which the loop returns too.
            guard reason >= Self.brokersReasonMin, refusal == nil else { return }
            refusal = unsafe String(cString: mosquitto_reason_string(reason))
        }

        private func received(_ message: mosquitto_message, _ handle: OpaquePointer) {
            guard let name = unsafe message.topic else { return }
            let topic = unsafe String(cString: name)
            let bytes = unsafe UnsafeRawBufferPointer(
                start: message.payload, count: Int(message.payloadlen))
            let isWanted = unsafe callbacks.received(
                BrokerMessage(topic: topic, payload: Array(bytes), isRetained: message.retain))
            // A topic of an earlier configuration, which the broker still has in its session.
            if !isWanted { unsafe mosquitto_unsubscribe(handle, nil, topic) }
        }

        private func sendWaiting(_ handle: OpaquePointer) {
            while isAccepted, unacknowledged < Self.unacknowledgedMax {
                if let awaited = client.takeAwaited() {
                    let number = unsafe send(awaited.message, handle)
                    guard let number else { awaited.isTaken.resume(returning: false); continue }
                    waiting[number] = awaited.isTaken
                } else if let message = client.takeNext() {
                    unsafe send(message, handle)
                } else {
                    return
                }
            }
        }

        /// - Returns: The message's number; `nil`: it cannot be sent.
        @discardableResult
        private func send(_ message: BrokerMessage, _ handle: OpaquePointer) -> Int32? {
            var number: Int32 = 0
            var properties: OpaquePointer?
            defer { unsafe mosquitto_property_free_all(&properties) }
            if let seconds = message.secondsKept {
                unsafe mosquitto_property_add_int32(
                    &properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue),
                    UInt32(seconds))
            }
            let status = unsafe mosquitto_publish_v5(
                handle, &number, message.topic, Int32(message.payload.count), message.payload, 1,
                message.isRetained, properties)
            guard status == 0 else { return nil }
            unacknowledged += 1
            return number
        }

        /// Sends what waits, then lets the broker tell everybody that the daemon is away.
        private func sayGoodbye(_ handle: OpaquePointer) {
            unsafe sendWaiting(handle)
            var status: Int32 = 0
            for _ in 0..<Self.farewellTurns where status == 0 && unacknowledged > 0 {
                status = unsafe mosquitto_loop(handle, 100, 1)
            }
            unsafe mosquitto_disconnect_v5(
                handle, Int32(MQTT_RC_DISCONNECT_WITH_WILL_MSG.rawValue), nil)
            for _ in 0..<Self.farewellTurns where status == 0 {
                status = unsafe mosquitto_loop(handle, 100, 1)
            }
        }
    }
#else
    /// The program was built without an MQTT library, and connects to no broker.
    enum BrokerConnection {
        static let isBuilt = false

        static func serve(_ client: BrokerClient, _ callbacks: BrokerClient.Callbacks) -> String {
            "not built"
        }
    }
#endif
