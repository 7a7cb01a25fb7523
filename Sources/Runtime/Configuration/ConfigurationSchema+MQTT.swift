import SensorModel

extension ConfigurationSchema {
    static let mqtt: [ConfigurationEntry] = [
        .text(
            "mqtt.host", \.mqtt.host,
            "MQTT 5 broker; empty: none. Needs a program that is built with the trait MQTT",
            allowed: "a host name or an address"),
        .integer(
            "mqtt.port", \.mqtt.port, 1...65_535, "Port of the broker, 8883 with TLS",
            unit: "port", default: 1883),
        .text(
            "mqtt.ca_file", \.mqtt.authoritiesFile,
            "Authorities that may sign the broker's certificate, PEM, as"
                + " /etc/ssl/certs/ca-certificates.crt; empty: no TLS",
            allowed: "a file"),
        .text("mqtt.user", \.mqtt.user, "Name at the broker; empty: none"),
        .text(
            "mqtt.password_file", \.mqtt.passwordFile,
            "Password of that name; empty: the credential mqtt-password", allowed: "a file"),
        .text(
            "mqtt.prefix", \.mqtt.prefix,
            "Topics begin with this; two daemons at one broker have two",
            allowed: topicForm, default: "pulsecast", where: MQTTTopics.isPlain),
        .text(
            "mqtt.discovery_prefix", \.mqtt.discoveryPrefix,
            "Where Home Assistant looks for new devices; empty: nothing is announced",
            allowed: topicForm, default: "homeassistant",
            where: { $0.isEmpty || MQTTTopics.isPlain($0) }),
        .list(
            "mqtt.shares", \.mqtt.shares,
            "Shares whose newest values are published, to everybody who may read at the broker",
            allowed: "at most \(MQTTTopics.sharesMax) names of shares, or DEVICE:NAME, with commas"
                + " between, each with letters of its own; no link and no ID",
            where: MQTTTopics.areSharesAllowed),
        .list(
            "mqtt.alerts", \.mqtt.alerts,
            "Devices whose owners may choose the broker as a receiver of alerts",
            allowed: "at most \(MQTTTopics.alertingMax) names of devices with commas between, each"
                + " with letters of its own",
            where: MQTTTopics.areAlertingAllowed),
        .list(
            "mqtt.owntracks", \.mqtt.ownTracks,
            "Topics of OwnTracks, and the device that each is recorded for, as"
                + " owntracks/jane/phone=jane. Whoever may write there at the broker is that"
                + " device",
            allowed: "at most \(MQTTTopics.ownTracksMax) of TOPIC=DEVICE with commas between, each"
                + " topic once and without + and #",
            where: MQTTTopics.isOwnTracksAllowed),
    ]

    private static let topicForm =
        "at most \(MQTTTopics.bytesMax) bytes without +, # and spaces, no $ first, no / first or"
        + " last"
}
