/// The limits that are not settings, with the relations between them.
public enum Limits {
    /// Value range of a binary frame's length field, which includes 14 bytes of the header.
    public static let frameLengthRange = 14...4094
    /// The wire header: length, kind, flags, sequence, device time.
    public static let frameHeaderBytes = 16
    public static let framePayloadBytesMax = 4080
    public static let motionSamplesMax = 100
    public static let markerBytesMax = 120
    public static let sourceBytesMax = 32
    public static let cheerCharactersMax = 80
    public static let textLineBytesMax = 64 * 1024
    public static let webSocketMessageBytesMax = 1024 * 1024
    public static let httpBodyBytesMax = 1024 * 1024
    public static let httpHeaderBytesMax = 16 * 1024
    /// Ranges of missing sequences kept for a session, to tell a late frame from a duplicate.
    public static let gapRangesMax = 64
    /// Device time may be at most one day ahead of arrival time.
    public static let deviceTimeAheadMicroseconds: Int64 = 86_400 * 1_000_000
    /// Unsent bytes of a subscriber; beyond this its connection closes as too slow.
    public static let subscriberBytesMax = 256 * 1024
    public static let groupSharesMax = 50
    /// Heart-rate zones in a scheme.
    public static let zonesMax = 7

    /// Traps when two limits contradict each other.
    public static func checkRelations() {
        precondition(frameLengthRange.upperBound + 2 == framePayloadBytesMax + frameHeaderBytes)
        // Payload: count, flags, two spare bytes, interval; then six 16-bit values a sample.
        precondition(8 + motionSamplesMax * 12 <= framePayloadBytesMax)
        precondition(markerBytesMax <= framePayloadBytesMax)
        precondition(textLineBytesMax <= webSocketMessageBytesMax)
    }
}
