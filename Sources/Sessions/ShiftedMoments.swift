import Bytes
import SensorModel

/// Moments of a recording beside those of a session, for several differences of their clocks.
///
/// Streaming: the session's values come one by one, in any order. Memory is bounded.
struct ShiftedMoments<Value: Sendable>: Sendable {
    /// Moments of the recording that are compared.
    private static var momentsMax: Int { 1024 }
    /// Comparisons of one moment: a second may have 100,000 values, a receiver of 10 Hz has 310 in
    /// the widest range of shifts.
    private static var comparisonsMax: Int { 512 }

    let values: [Value]
    /// Times by which the session's clock is ahead, in steps.
    let shifts: ClosedRange<Int>
    private let stepSeconds: Double
    private let seconds: [Double]
    private var comparisons: [UInt16]
    /// Difference of the values of a moment at a shift; infinite: not compared.
    private var differences: [Float]
    /// Seconds from the shifted moment to the session's value.
    private var distances: [Float]

    /// - Parameters:
    ///   - frames: Frames of the recording.
    ///   - shifts: Compared shifts, in steps.
    ///   - stepSeconds: Length of a step.
    ///   - value: The value of a frame, if it has one.
    init(
        _ frames: [Frame], shifts: ClosedRange<Int>, stepSeconds: Double,
        _ value: (Frame.Payload) -> Value?
    ) {
        var all = frames.compactMap { frame in
            value(frame.payload).map { (frame.deviceTime.secondsSince1970, $0) }
        }
        // Some files repeat a stretch of time.
        all.sort { $0.0 < $1.0 }
        if all.count > Self.momentsMax {
            all = (0..<Self.momentsMax).map { all[$0 * all.count / Self.momentsMax] }
        }
        (seconds, values) = (all.map(\.0), all.map(\.1))
        (self.shifts, self.stepSeconds) = (shifts, stepSeconds)
        comparisons = Array(repeating: 0, count: all.count)
        differences = Array(repeating: .infinity, count: all.count * shifts.count)
        distances = differences
    }

    /// - Parameters:
    ///   - time: Time of the session's value, in seconds since 1970.
    ///   - difference: Difference of the session's value from one of the recording.
    mutating func note(_ time: Double, _ difference: (Value) -> Double) {
        let margin = 0.5 * stepSeconds
        let latest = time - Double(shifts.lowerBound) * stepSeconds + margin
        let earliest = time - Double(shifts.upperBound) * stepSeconds - margin
        var index = seconds.partitioningIndex { $0 >= earliest }
        while index < seconds.count, seconds[index] <= latest {
            defer { index += 1 }
            let steps = (time - seconds[index]) / stepSeconds
            let shift = Int(steps.rounded())
            guard shifts.contains(shift), comparisons[index] < Self.comparisonsMax else { continue }
            comparisons[index] += 1
            let place = place(index, shift)
            let distance = Float(abs(steps - Double(shift)))
            guard distance <= distances[place] else { continue }
            let difference = Float(difference(values[index]))
            // Of values of the same moment the nearest counts.
            guard distance < distances[place] || difference < differences[place] else { continue }
            (distances[place], differences[place]) = (distance, difference)
        }
    }

    private func place(_ index: Int, _ shift: Int) -> Int {
        index * shifts.count + shift - shifts.lowerBound
    }

    /// - Returns: `nil` if the session has no value at the shifted moment.
    func difference(_ index: Int, at shift: Int) -> Double? {
        let difference = differences[place(index, shift)]
        return difference < .infinity ? Double(difference) : nil
    }

    /// Differences of all moments that the session has at the shift.
    func differences(at shift: Int) -> [Double] {
        values.indices.compactMap { difference($0, at: shift) }
    }
}
