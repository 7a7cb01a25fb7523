import Bytes
import Processing
package import SensorModel

/// Decides whether a recording and a session of the same device are one run.
///
/// In one run, the same moments have the same values, but exports differ by a second, by rounding
/// and by omissions. Positions decide, else motion, else the heart rate: the first that both have.
package struct RecordingMatch: Sendable {
    /// Maximum number of moments of the recording that are compared, of each kind.
    private static let momentsMax = 1024
    /// Maximum difference between the clocks of two exports, seconds.
    private static let secondsApart = 2.5
    /// Maximum distance between two receivers of one runner, meters.
    private static let metersApart = 40.0
    /// Maximum difference of heart rates, which one of the files may have rounded.
    private static let beatsApart = 1.0
    /// Comparisons of one moment; a receiver of 10 Hz has 50. A second may have 100,000 values.
    private static let comparisonsMax = 64
    /// Minimum share of the compared moments that agree.
    private static let share = 0.8
    private static let (positionsMin, motionsMin, heartRatesMin) = (5, 10, 30)

    /// A value at a moment, and the nearest one of the session.
    private struct Moment<Value: Sendable>: Sendable {
        let seconds: Double
        let value: Value
        var nearest = Double.infinity
        var comparisons = 0
    }

    private var positions: [Moment<Location>]
    private var heartRates: [Moment<Double>]
    /// First samples of batches, by microseconds.
    private var motions: [Int64: SIMD3<Float>]
    /// Number of batches that begin at the same time in both, and number of equal ones, each with
    /// the recording a second earlier, at the same time, and a second later.
    private var (compared, equal) = ([0, 0, 0], [0, 0, 0])

    /// - Parameter frames: Frames of the recording, in order of time.
    package init(_ frames: [Frame]) {
        positions = Self.moments(of: frames) { if case .location(let at) = $0 { at } else { nil } }
        heartRates = Self.moments(of: frames) {
            if case .heartRate(let sample) = $0 { sample.beatsPerMinute } else { nil }
        }
        let batches = Self.moments(of: frames) { payload -> SIMD3<Float>? in
            if case .motion(let batch) = payload { batch.samples.first?.acceleration } else { nil }
        }
        motions = Dictionary(
            batches.map { (Int64(($0.seconds * 1e6).rounded()), $0.value) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Device times of the frames that may agree with a recording of these times.
    package static func window(of times: ClosedRange<Timestamp>) -> ClosedRange<Timestamp> {
        let from = times.lowerBound.advanced(bySeconds: -secondsApart)
        return from...times.upperBound.advanced(bySeconds: secondsApart)
    }

    /// Compares the session's next frame; frames may come in any order of time.
    package mutating func note(_ frame: Frame) {
        let seconds = frame.deviceTime.secondsSince1970
        switch frame.payload {
        case .location(let there):
            Self.note(seconds, in: &positions) { Geodesy.meters(from: $0, to: there) }
        case .heartRate(let sample):
            Self.note(seconds, in: &heartRates) { abs($0 - sample.beatsPerMinute) }
        case .motion(let batch):
            guard let there = batch.samples.first?.acceleration else { return }
            for shift in 0..<compared.count {
                let time = frame.deviceTime.microseconds + Int64(shift - 1) * 1_000_000
                guard let here = motions[time] else { continue }
                compared[shift] += 1
                if here == there { equal[shift] += 1 }
            }
        default: return
        }
    }

    /// Whether the frames so far are of one run with the recording.
    package var isSameRun: Bool {
        if let agree = Self.agree(positions, within: Self.metersApart, Self.positionsMin) {
            return agree
        }
        if compared.contains(where: { $0 >= Self.motionsMin }) {
            return zip(equal, compared).contains { equal, compared in
                compared >= Self.motionsMin && Double(equal) >= Self.share * Double(compared)
            }
        }
        return Self.agree(heartRates, within: Self.beatsApart, Self.heartRatesMin) ?? false
    }

    /// - Returns: `nil` if fewer moments than `least` have a value in both.
    private static func agree<Value>(
        _ moments: [Moment<Value>], within most: Double, _ least: Int
    ) -> Bool? {
        let compared = moments.count { $0.nearest < .infinity }
        guard compared >= least else { return nil }
        let agreeing = moments.count { $0.nearest <= most }
        return Double(agreeing) >= share * Double(compared)
    }

    private static func moments<Value: Sendable>(
        of frames: [Frame], _ value: (Frame.Payload) -> Value?
    ) -> [Moment<Value>] {
        let all = frames.compactMap { frame in
            value(frame.payload).map {
                Moment(seconds: frame.deviceTime.secondsSince1970, value: $0)
            }
        }
        guard all.count > momentsMax else { return all }
        return (0..<momentsMax).map { all[$0 * all.count / momentsMax] }
    }

    private static func note<Value>(
        _ seconds: Double, in moments: inout [Moment<Value>], _ distance: (Value) -> Double
    ) {
        var index = moments.partitioningIndex { $0.seconds >= seconds - secondsApart }
        while index < moments.count, moments[index].seconds <= seconds + secondsApart {
            defer { index += 1 }
            guard moments[index].comparisons < comparisonsMax else { continue }
            moments[index].comparisons += 1
            moments[index].nearest = min(moments[index].nearest, distance(moments[index].value))
        }
    }
}
