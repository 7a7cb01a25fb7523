package import SensorModel

/// Groups single samples with their own times into batches of equal spacing.
///
///     samples   · · · · ·|· · ·  hole  · · ·|· ·
///     batches  [· · · · ·][· · ·]     [· · ·][· ·]      | a second begins, or another frame
///
/// A batch ends where a sample would deviate from equal spacing by more than a millisecond, so no
/// sample moves by more than that.
package struct MotionBatcher {
    private static let toleranceMicroseconds: Int64 = 1000

    package let traits: MotionTraits
    /// Times in non-decreasing order.
    package var times: [Int64] = []
    package var samples: [MotionSample] = []
    /// Heart rate of each sample, or empty; 0 if a sample has none.
    package var heartRates: [Double] = []

    package init(traits: MotionTraits) {
        self.traits = traits
    }

    /// - Throws: ``RecordingError/tooMuch(_:itemsMax:)``; each sample may need its own frame.
    func check(_ itemsMax: Int, _ format: RecordingFormat) throws(RecordingError) {
        guard samples.count <= itemsMax else { throw .tooMuch(format, itemsMax: itemsMax) }
    }

    /// - Parameter others: Other frames in order of time. A motion frame follows those that are not
    ///   later than its first sample.
    /// - Returns: All frames in order of time.
    package consuming func frames(among others: [Frame]) -> [Frame] {
        sortByTime()
        var result: [Frame] = []
        result.reserveCapacity(others.count + samples.count / 50)
        var next = 0
        var index = 0
        while index < times.count {
            while next < others.count, others[next].deviceTime.microseconds <= times[index] {
                result.append(others[next])
                next += 1
            }
            let barrier = next < others.count ? others[next].deviceTime.microseconds : .max
            let end = endOfStretch(from: index, barrier: barrier)
            appendBatches(index..<end, to: &result)
            index = end
        }
        result.append(contentsOf: others[next...])
        return result
    }

    private mutating func sortByTime() {
        var rising = true
        for index in times.indices.dropFirst() where times[index] < times[index - 1] {
            rising = false
            break
        }
        guard !rising else { return }
        let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        times = order.map { times[$0] }
        samples = order.map { samples[$0] }
        if !heartRates.isEmpty { heartRates = order.map { heartRates[$0] } }
    }

    private func endOfStretch(from start: Int, barrier: Int64) -> Int {
        let secondEnd = Timestamp(microseconds: times[start]).wholeSecond.microseconds + 1_000_000
        let bound = Swift.min(barrier, secondEnd)
        let limit = Swift.min(start + Limits.motionSamplesMax, times.count)
        var end = start + 1
        while end < limit, times[end] < bound,
            heartRates.isEmpty || heartRates[end] == heartRates[start]
        {
            end += 1
        }
        return end
    }

    private func appendBatches(_ stretch: Range<Int>, to frames: inout [Frame]) {
        guard let split = splitPlace(stretch) else {
            let first = stretch.lowerBound
            let steps = Int64(stretch.count - 1)
            let interval = steps > 0 ? (times[stretch.upperBound - 1] - times[first]) / steps : 0
            let rate = heartRates.isEmpty || heartRates[first] == 0 ? nil : heartRates[first]
            let batch = MotionBatch(
                traits: traits, intervalMicroseconds: UInt32(clamping: interval),
                samples: Array(samples[stretch]), heartRate: rate)
            frames.append(
                Frame(
                    sequence: .none, deviceTime: Timestamp(microseconds: times[first]),
                    payload: .motion(batch)))
            return
        }
        appendBatches(stretch.lowerBound..<split, to: &frames)
        appendBatches(split..<stretch.upperBound, to: &frames)
    }

    /// Returns the best place to split a stretch of unequal spacing: next to the sample furthest
    /// from its place, at the longer of the two steps there. Returns `nil` if the spacing is equal.
    private func splitPlace(_ stretch: Range<Int>) -> Int? {
        guard stretch.count > 1 else { return nil }
        let first = stretch.lowerBound
        let last = stretch.upperBound - 1
        let interval = (times[last] - times[first]) / Int64(stretch.count - 1)
        var worst = last
        var worstDeviation: Int64 = -1
        for index in stretch {
            let place = times[first] + interval * Int64(index - first)
            let deviation = abs(times[index] - place)
            if deviation > worstDeviation { (worst, worstDeviation) = (index, deviation) }
        }
        let tolerance = Swift.min(Self.toleranceMicroseconds, interval / 5)
        if worstDeviation <= tolerance, interval > 0 { return nil }
        if worst == first { return first + 1 }
        if worst == last { return last }
        let before = times[worst] - times[worst - 1]
        let after = times[worst + 1] - times[worst]
        return before > after ? worst : worst + 1
    }
}
