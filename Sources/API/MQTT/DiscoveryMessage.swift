import Runtime
import SensorModel

/// Announces a share to Home Assistant as one device with a sensor for each value
/// (home-assistant.io, "MQTT discovery", device discovery; Home Assistant 2024.11 or later).
struct DiscoveryMessage: Encodable, Sendable {
    struct Device: Encodable, Sendable {
        let identifiers: [String]
        let name: String
        let manufacturer = "Pulsecast"
    }

    struct Origin: Encodable, Sendable {
        let name = "Pulsecast"
        let version = Version.text

        private enum CodingKeys: String, CodingKey {
            case name
            case version = "sw_version"
        }
    }

    /// A sensor, or the position.
    struct Component: Encodable, Sendable {
        let platform: String
        let uniqueID: String
        let name: String
        let icon: String?
        var stateTopic: String?
        var template: String?
        var attributesTopic: String?
        var sourceType: String?
        var unit: String?
        var deviceClass: String?
        var stateClass: String?

        private enum CodingKeys: String, CodingKey {
            case platform, name, icon
            case uniqueID = "unique_id"
            case stateTopic = "state_topic"
            case template = "value_template"
            case attributesTopic = "json_attributes_topic"
            case sourceType = "source_type"
            case unit = "unit_of_measurement"
            case deviceClass = "device_class"
            case stateClass = "state_class"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case device, origin, components
        case statusTopic = "availability_topic"
    }

    let device: Device
    let origin = Origin()
    let statusTopic: String
    let components: [String: Component]

    /// - Parameters:
    ///   - share: The share; its scope decides which sensors there are.
    ///   - part: Its part of the topics.
    ///   - topics: All topics.
    init(_ share: Share, part: String, topics: MQTTTopics) {
        let identifier = topics.identifier(part)
        device = Device(identifiers: [identifier], name: share.runnerName)
        statusTopic = topics.status
        let topic = topics.state(part)
        var components: [String: Component] = [:]
        for sensor in Self.sensors where share.scope.isSuperset(of: sensor.scope) {
            components[sensor.key] = Component(
                platform: "sensor", uniqueID: identifier + "_" + sensor.key, name: sensor.name,
                icon: sensor.icon, stateTopic: topic, template: "{{ value_json.\(sensor.field) }}",
                unit: sensor.unit, deviceClass: sensor.deviceClass,
                stateClass: sensor.unit == nil ? nil : "measurement")
        }
        if share.scope.contains(.location) {
            components["position"] = Component(
                platform: "device_tracker", uniqueID: identifier + "_position", name: "Position",
                icon: "mdi:run", attributesTopic: topic, sourceType: "gps")
        }
        self.components = components
    }

    // MARK: Sensors

    private struct Sensor {
        let key: String
        let field: String
        let name: String
        let icon: String?
        let scope: Scope
        var unit: String?
        var deviceClass: String?
    }

    private static let sensors = [
        Sensor(key: "state", field: "state", name: "State", icon: "mdi:run-fast", scope: []),
        Sensor(key: "alert", field: "alert", name: "Alert", icon: "mdi:alert", scope: []),
        Sensor(
            key: "heart_rate", field: "heartRate", name: "Heart rate", icon: "mdi:heart-pulse",
            scope: .heartRate, unit: "bpm"),
        Sensor(
            key: "zone", field: "zone", name: "Zone", icon: "mdi:heart-cog", scope: .heartRate),
        Sensor(
            key: "pace", field: "paceSecondsPerKm", name: "Pace", icon: "mdi:speedometer",
            scope: .metrics, unit: "s/km"),
        Sensor(
            key: "distance", field: "distanceMeters", name: "Distance", icon: nil,
            scope: .metrics, unit: "m", deviceClass: "distance"),
        Sensor(
            key: "cadence", field: "cadence", name: "Cadence", icon: "mdi:shoe-print",
            scope: .metrics, unit: "steps/min"),
        Sensor(
            key: "battery", field: "battery", name: "Battery", icon: nil, scope: .metrics,
            unit: "%", deviceClass: "battery"),
    ]
}
