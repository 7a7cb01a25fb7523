import SensorModel

/// Missing sequences that may still arrive, as at most ``Limits/gapRangesMax`` rising ranges.
///
/// Beyond that, the oldest range is dropped; its frames then count as duplicates.
struct GapRanges: Sendable {
    private(set) var ranges: [ClosedRange<UInt32>]

    init(_ ranges: [ClosedRange<UInt32>] = []) {
        self.ranges = Array(ranges.suffix(Limits.gapRangesMax))
    }

    /// - Parameter range: A range above all others.
    mutating func append(_ range: ClosedRange<UInt32>) {
        ranges.append(range)
        forgetOldest()
    }

    /// Removes one number.
    ///
    /// - Returns: Whether the number was missing until now.
    mutating func take(_ sequence: UInt32) -> Bool {
        guard let index = ranges.lastIndex(where: { $0.lowerBound <= sequence }),
            ranges[index].contains(sequence)
        else { return false }
        let range = ranges[index]
        switch (sequence == range.lowerBound, sequence == range.upperBound) {
        case (true, true): ranges.remove(at: index)
        case (true, false): ranges[index] = sequence + 1...range.upperBound
        case (false, true): ranges[index] = range.lowerBound...sequence - 1
        case (false, false):
            ranges[index] = range.lowerBound...sequence - 1
            ranges.insert(sequence + 1...range.upperBound, at: index + 1)
            forgetOldest()
        }
        return true
    }

    private mutating func forgetOldest() {
        if ranges.count > Limits.gapRangesMax { ranges.removeFirst() }
    }
}
