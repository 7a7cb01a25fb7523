package import SensorModel

/// Decides whether a recording and a session of the same device are one run.
///
/// In one run, the same moments have the same values, but exports differ by some seconds, by
/// rounding and by omissions. Positions and heart rates must agree, if both have them: of two who
/// run side by side, or stand on treadmills, only one of both differs. Motion decides if they have
/// neither in common.
package struct RecordingMatch: Sendable {
    /// Heart rates of one sensor differ by less, as one of the files may have rounded them.
    private static let beatsApart = 1.0
    /// Clocks of two exports, in half seconds.
    private static let heartRateShifts = -5...5
    /// Minimum share of the compared moments that agree.
    private static let share = 0.8
    private static let (motionsMin, heartRatesMin) = (10, 30)

    private var track: TrackMatch
    private var heartRates: ShiftedMoments<Double>
    /// First samples of batches, by microseconds.
    private var motions: [Int64: SIMD3<Float>]
    /// Number of batches that begin at the same time in both, and number of equal ones, each with
    /// the recording a second earlier, at the same time, and a second later.
    private var (compared, equal) = ([0, 0, 0], [0, 0, 0])

    /// - Parameter frames: Frames of the recording.
    package init(_ frames: [Frame]) {
        track = TrackMatch(frames)
        heartRates = ShiftedMoments(frames, shifts: Self.heartRateShifts, stepSeconds: 0.5) {
            if case .heartRate(let sample) = $0 { sample.beatsPerMinute } else { nil }
        }
        let batches = frames.compactMap { frame -> (Int64, SIMD3<Float>)? in
            guard case .motion(let batch) = frame.payload, let first = batch.samples.first else {
                return nil
            }
            return (frame.deviceTime.microseconds, first.acceleration)
        }
        let step = max(1, batches.count / 1024)
        motions = Dictionary(
            stride(from: 0, to: batches.count, by: step).map { batches[$0] },
            uniquingKeysWith: { first, _ in first })
    }

    /// Device times of the frames that may agree with a recording of these times.
    package static func window(of times: ClosedRange<Timestamp>) -> ClosedRange<Timestamp> {
        let from = times.lowerBound.advanced(bySeconds: -TrackMatch.secondsMax)
        return from...times.upperBound.advanced(bySeconds: TrackMatch.secondsMax)
    }

    /// Compares the session's next frame; frames may come in any order of time.
    package mutating func note(_ frame: Frame) {
        let seconds = frame.deviceTime.secondsSince1970
        switch frame.payload {
        case .location(let there): track.note(there, at: seconds)
        case .heartRate(let sample):
            heartRates.note(seconds) { abs($0 - sample.beatsPerMinute) }
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
        let verdicts = [track.isSameRun, haveSameHeartRate].compactMap { $0 }
        guard verdicts.isEmpty else { return !verdicts.contains(false) }
        return haveSameMotion ?? false
    }

    /// - Returns: `nil` if too few batches begin at the same time.
    private var haveSameMotion: Bool? {
        guard compared.contains(where: { $0 >= Self.motionsMin }) else { return nil }
        return zip(equal, compared).contains { equal, compared in
            compared >= Self.motionsMin && Double(equal) >= Self.share * Double(compared)
        }
    }

    /// Whether the same beats were counted with one constant difference of the clocks: two runners
    /// with the same effort have nearly the same heart rate.
    ///
    /// - Returns: `nil` if too few moments have a heart rate in both.
    private var haveSameHeartRate: Bool? {
        let shifts = Self.heartRateShifts.map { heartRates.differences(at: $0) }
        let most = shifts.map(\.count).max() ?? 0
        guard most >= Self.heartRatesMin else { return nil }
        return shifts.contains { differences in
            let equal = differences.count { $0 < Self.beatsApart }
            return differences.count >= max(Self.heartRatesMin, most / 2)
                && Double(equal) >= Self.share * Double(differences.count)
        }
    }
}
