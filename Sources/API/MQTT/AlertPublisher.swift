import MQTT
import Registry
import Runtime
import SensorModel
import Synchronization

/// Takes alerts to the MQTT broker, each kind to a topic of its own. The broker keeps an alert's
/// message until its end is told.
///
/// What the broker keeps is looked at every ten seconds, also what it has of an earlier run: a
/// message is cleared if its alert is not there any more (its session or its device was erased), if
/// its receiver is gone, or if it shows a place and the receivers' share is over. So nothing depends on being told of each of
/// these, or on a broker that could be reached at that moment.
package final class AlertPublisher: Sendable {
    /// Seconds after which the broker forgets an alert that is not told again; receivers are told
    /// once an hour at least, until one confirms.
    private static let keptSeconds = 7200
    private static let overSeconds = 300
    private static let tidySeconds = 10.0
    /// A broker may hold any number of messages that others have put there.
    private static let keptMax = 256

    private struct Place: Hashable {
        let device: String
        let topic: AlertTopic
    }

    /// Devices that the daemon's owner allows, in small letters.
    private let devices: [String]
    private let topics: MQTTTopics
    private let broker: BrokerClient
    private let administration: Administration
    private let alerts: AlertCenter
    /// Where the broker keeps a message, as far as is known, and whether it may show a place.
    private let kept = Mutex<[Place: Bool]>([:])
    private let work = WakingWork()

    init(
        _ devices: [String], topics: MQTTTopics, broker: BrokerClient,
        administration: Administration, alerts: AlertCenter
    ) {
        self.devices = devices.map { $0.lowercased() }
        self.topics = topics
        self.broker = broker
        self.administration = administration
        self.alerts = alerts
    }

    func start() {
        work.start(
            tickSeconds: Self.tidySeconds,
            tick: { [weak self] in await self?.tidy() },
            woken: { [weak self] in
                await self?.tidy()
                return []
            })
    }

    func stop() { work.stop() }

    func mayPublish(of device: String) -> Bool { devices.contains(device.lowercased()) }

    /// - Parameters:
    ///   - message: What is told. A test is not kept.
    ///   - device: The device's name.
    /// - Returns: Whether the broker has taken it.
    func publish(_ message: AlertMessage, of device: String) async -> Bool {
        guard mayPublish(of: device), let payload = JSONBody.bytes(message) else { return false }
        if let topic = AlertTopic(rawValue: message.alert) {
            let place = Place(device: device.lowercased(), topic: topic)
            kept.withLock { $0[place] = message.latitude != nil }
        }
        let isTest = message.phase == .test
        return await broker.deliver(
            BrokerMessage(
                topic: topic(message.alert, of: device), payload: payload, isRetained: !isTest,
                secondsKept: isTest
                    ? nil : message.phase == .over ? Self.overSeconds : Self.keptSeconds))
    }

    // MARK: Clearing

    /// Takes note of a message that the broker has kept, also for a device that may not any more.
    func note(_ message: BrokerMessage, at place: (part: String, kind: String)) {
        guard message.isRetained, !message.payload.isEmpty,
            let topic = AlertTopic(rawValue: place.kind)
        else { return }
        let device = devices.first { MQTTTopics.part($0) == place.part } ?? place.part
        kept.withLock { kept in
            let place = Place(device: device, topic: topic)
            guard kept[place] != nil || kept.count < Self.keptMax else { return }
            kept[place] = true
        }
    }

    func tidySoon() { work.wake() }

    private func tidy() async {
        for (place, isShown) in kept.withLock({ $0 }) where !isWanted(place, shown: isShown) {
            let topic = topic(place.topic.rawValue, of: place.device)
            guard await broker.deliver(BrokerMessage(topic: topic, payload: [])) else { return }
            _ = kept.withLock { $0.removeValue(forKey: place) }
        }
    }

    /// Whether a message may stay; `isShown` says that it may tell where the runner is.
    private func isWanted(_ place: Place, shown isShown: Bool) -> Bool {
        let accounts = administration.accounts
        guard mayPublish(of: place.device), let device = accounts.device(named: place.device),
            !device.isRevoked,
            alerts.state.withLock({ $0.cases.isKnown(place.topic, of: device.id) })
        else { return false }
        // A disk that cannot be read now says nothing.
        guard let receivers = try? accounts.receivers(of: device.id) else { return true }
        return receivers.contains { receiver in
            let share = accounts.share(receiver.share)
            let sees = share?.isActive(at: administration.clock()) ?? false
            return receiver.kind == .mqtt && (sees || !isShown)
        }
    }

    private func topic(_ kind: String, of device: String) -> String {
        topics.alert(kind, of: MQTTTopics.part(device.lowercased()))
    }
}
