import SensorModel

/// How often a device was refused lately. Keeps nothing for those that never were.
struct RefusalWindow {
    private let countMax: Int
    private let windowMicroseconds: Int64
    /// Of the last ``countMax`` refusals, oldest at ``oldest`` once it is full.
    private var times: [Int64] = []
    private var oldest = 0

    init(countMax: Int, seconds: Int) {
        self.countMax = countMax
        windowMicroseconds = Int64(seconds) * 1_000_000
    }

    /// - Returns: `false` for one more than ``countMax`` within the window.
    mutating func allows(at time: Timestamp) -> Bool {
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
