/// A topic of OwnTracks, and the device that its positions are recorded for.
package struct OwnTracksSource: Hashable, Sendable {
    package let topic: String
    package let device: String

    /// - Parameter line: `TOPIC=DEVICE`.
    package init?(_ line: String) {
        let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, MQTTTopics.isPlain(parts[0]) else { return nil }
        (topic, device) = (parts[0], parts[1])
    }
}
