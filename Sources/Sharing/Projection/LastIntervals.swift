/// The last eight times between two positions, seconds.
struct LastIntervals {
    private var seconds = InlineArray<8, Double>(repeating: 0)
    private var count = 0

    mutating func add(_ interval: Double) {
        seconds[count % seconds.count] = interval
        count += 1
    }

    /// 0 for fewer than two.
    var secondLongest: Double {
        var (longest, second) = (0.0, 0.0)
        for index in 0..<min(count, seconds.count) {
            second = max(second, min(longest, seconds[index]))
            longest = max(longest, seconds[index])
        }
        return second
    }

    /// 0 for fewer than two.
    var shorterOfLastTwo: Double {
        guard count > 1 else { return 0 }
        return min(seconds[(count - 1) % seconds.count], seconds[(count - 2) % seconds.count])
    }
}
