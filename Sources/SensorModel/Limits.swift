/// Every bound that is not a setting, in one place, with the relations between them.
public enum Limits {
    /// A binary frame's length field counts the header's other 14 bytes too.
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
    /// Ranges of lost sequences remembered a session, so that a late frame is told from a double.
    public static let gapRangesMax = 64
    /// Device time may run ahead of arrival by a day, and no further.
    public static let deviceTimeAheadMicroseconds: Int64 = 86_400 * 1_000_000
    /// Bytes a subscriber may owe before it is closed as too slow.
    public static let subscriberBytesMax = 256 * 1024
    public static let groupSharesMax = 50
    /// Heart-rate zones a scheme may have.
    public static let zonesMax = 7

    /// Traps when two limits contradict each other.
    public static func checkRelations() {
        precondition(frameLengthRange.upperBound + 2 == framePayloadBytesMax + frameHeaderBytes)
        // Count, flags, two spare, interval; then six 16-bit values a sample.
        precondition(8 + motionSamplesMax * 12 <= framePayloadBytesMax)
        precondition(markerBytesMax <= framePayloadBytesMax)
        precondition(textLineBytesMax <= webSocketMessageBytesMax)
    }
}
