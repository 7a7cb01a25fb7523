/// One reading of a heart-rate sensor.
public struct HeartRateSample: Hashable, Sendable {
    /// Range of a human heart, beats/min; decoding refuses other values.
    public static let validBeatsPerMinute: ClosedRange<Double> = 20...250

    public enum Contact: UInt8, Sendable {
        case unknown = 0
        case off = 1
        case on = 2
    }

    /// Beats per minute, a multiple of 0.1: the grid of the wire and of the log.
    public let beatsPerMinute: Double
    public let contact: Contact
    /// Intervals between beats in 1/1024 s, oldest first; empty if the sensor sends none.
    public let rrIntervals: [UInt16]

    /// - Throws: ``SensorError/heartRateOutOfRange(beatsPerMinute:)``
    public init(
        beatsPerMinute: Double, contact: Contact = .unknown, rrIntervals: [UInt16] = []
    ) throws(SensorError) {
        guard Self.validBeatsPerMinute.contains(beatsPerMinute) else {
            throw .heartRateOutOfRange(beatsPerMinute: beatsPerMinute)
        }
        self.beatsPerMinute = (beatsPerMinute * 10).rounded() / 10
        self.contact = contact
        self.rrIntervals = rrIntervals
    }
}
