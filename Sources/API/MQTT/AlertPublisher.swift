import MQTT
import Runtime

/// Takes alerts to the MQTT broker, each kind to a topic of its own. The broker keeps an alert's
/// message until its end is told.
package struct AlertPublisher: Sendable {
    /// Seconds after which the broker forgets an alert that is not told again; receivers are told
    /// once an hour at least.
    private static let raisedSeconds = 7200
    /// Somebody takes care of it, so it is not told again.
    private static let confirmedSeconds = Int(AlertCases.lifetimeSeconds)
    private static let overSeconds = 300

    /// Devices that the daemon's owner allows.
    private let devices: Set<String>
    private let topics: MQTTTopics
    private let broker: BrokerClient

    init(_ devices: [String], topics: MQTTTopics, broker: BrokerClient) {
        self.devices = Set(devices.map { $0.lowercased() })
        self.topics = topics
        self.broker = broker
    }

    func mayPublish(of device: String) -> Bool { devices.contains(device.lowercased()) }

    /// - Parameters:
    ///   - message: What is told. A test is not kept.
    ///   - device: The device's name.
    /// - Returns: Whether the broker has taken it.
    func publish(_ message: AlertMessage, of device: String) async -> Bool {
        guard mayPublish(of: device), let payload = JSONBody.bytes(message) else { return false }
        let secondsKept =
            switch message.phase {
            case .raised: Self.raisedSeconds
            case .confirmed: Self.confirmedSeconds
            case .over: Self.overSeconds
            case .test: 0
            }
        return await broker.deliver(
            BrokerMessage(
                topic: topic(message.alert, of: device), payload: payload,
                isRetained: message.phase != .test,
                secondsKept: secondsKept == 0 ? nil : secondsKept))
    }

    /// Has the broker forget the alerts of a device, if it can be reached now.
    func clear(of device: String) {
        Task {
            for kind in AlertTopic.allCases {
                let topic = topic(kind.rawValue, of: device)
                guard await broker.deliver(BrokerMessage(topic: topic, payload: [])) else { return }
            }
        }
    }

    private func topic(_ kind: String, of device: String) -> String {
        topics.alert(kind, of: MQTTTopics.part(device))
    }
}
