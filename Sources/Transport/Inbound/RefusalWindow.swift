import SensorModel

/// Counts a device's recent refusals; allocates nothing for a device without refusals.
struct RefusalWindow {
    private let countMax: Int
    private let windowMicroseconds: Int64
    /// Times of the last ``countMax`` refusals; once full, the oldest is at ``oldest``.
    private var times: [Int64] = []
    private var oldest = 0

    init(countMax: Int, seconds: Int) {
        self.countMax = countMax
        windowMicroseconds = Int64(seconds) * 1_000_000
    }

    /// - Returns: `false` for a refusal beyond ``countMax`` within the window.
    mutating func admit(at time: Timestamp) -> Bool {
        guard times.count == countMax else {
            times.append(time.microseconds)
            return true
        }
        let age = time.microseconds - times[oldest]
        times[oldest] = time.microseconds
        oldest = (oldest + 1) % countMax
        return age > windowMicroseconds
    }
}
