import Bytes
import SensorModel

/// Writes the reference application's 8 columns, one row a motion sample. Its acceleration is
/// without gravity, so samples that include gravity are converted.
struct MotionCSVWriter {
    /// Time for which the heart rate of a separate frame is repeated.
    private static let heartRateMicroseconds: Int64 = 10_000_000

    private(set) var bytes = Array(MotionCSV.header.utf8)
    private var gravity = GravityFilter()
    private var heartRate: (beatsPerMinute: Double, time: Timestamp)?

    mutating func append(_ frame: Frame) {
        switch frame.payload {
        case .heartRate(let sample):
            heartRate = (sample.beatsPerMinute, frame.deviceTime)
        case .motion(let batch):
            for (index, sample) in batch.samples.enumerated() {
                let offset = Int64(index) * Int64(batch.intervalMicroseconds)
                let time = frame.deviceTime.advanced(byMicroseconds: offset)
                var sample = sample
                if batch.traits.contains(.includesGravity) {
                    sample.acceleration = gravity.remove(
                        from: sample, hasRotation: batch.traits.contains(.hasRotation), at: time)
                }
                append(sample, at: time, heartRate: batch.heartRate ?? heartRate(at: time))
            }
        default: break
        }
    }

    mutating func takeBytes() -> [UInt8] {
        let taken = bytes
        bytes = []
        return taken
    }

    private func heartRate(at time: Timestamp) -> Double? {
        guard let heartRate,
            time.microseconds - heartRate.time.microseconds <= Self.heartRateMicroseconds
        else { return nil }
        return heartRate.beatsPerMinute
    }

    private mutating func append(
        _ sample: MotionSample, at time: Timestamp, heartRate: Double?
    ) {
        time.appendISO8601(decimals: 3, to: &bytes)
        bytes.append(UInt8(ascii: ","))
        if let heartRate { FixedDecimal.append(heartRate, decimals: 1, to: &bytes) }
        for vector in [sample.acceleration, sample.rotation] {
            for axis in 0..<3 {
                bytes.append(UInt8(ascii: ","))
                FixedDecimal.append(
                    Double(vector[axis]), decimals: 6, signedZero: true, to: &bytes)
            }
        }
        bytes.append(0x0A)
    }
}
