/// A moment, in whole microseconds since 1970-01-01T00:00:00Z.
///
/// Both clocks use this type, and names tell them apart: `deviceTime` is the watch's clock,
/// `arrivalTime` the daemon's. The wire and the log carry the same 64 bits, so values never change.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let microseconds: Int64

    /// The first valid device time, 2000-01-01. An earlier clock was never set.
    public static let earliestDeviceTime = Timestamp(microseconds: 946_684_800_000_000)

    @inlinable
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// - Parameter seconds: Seconds since 1970; rounded to the nearest microsecond. `nil` for NaN,
    ///   infinities and values out of range.
    public init?(secondsSince1970 seconds: Double) {
        let scaled = (seconds * 1_000_000).rounded()
        guard abs(scaled) < 9.2e18 else { return nil }
        microseconds = Int64(scaled)
    }

    /// A moment of a recording. A value below 10⁸ counts from the recording's start, since no
    /// device's clock is before 1973.
    ///
    /// - Parameters:
    ///   - seconds: Seconds since `start`, or since 1970.
    ///   - start: First moment of the recording.
    /// Returns `nil` for values that ``init(secondsSince1970:)`` refuses.
    public init?(seconds: Double, inRecordingFrom start: Timestamp) {
        if (0..<1e8).contains(seconds) {
            self = start.advanced(bySeconds: seconds)
        } else {
            self.init(secondsSince1970: seconds)
        }
    }

    public var secondsSince1970: Double { Double(microseconds) / 1_000_000 }

    /// This moment rounded down to a whole second.
    public var wholeSecond: Timestamp {
        let remainder = microseconds % 1_000_000
        let down = remainder < 0 ? remainder + 1_000_000 : remainder
        return Timestamp(microseconds: microseconds &- down)
    }

    /// - Returns: Seconds from `earlier` to this moment; negative when `earlier` is later.
    @inlinable
    public func seconds(since earlier: Timestamp) -> Double {
        Double(microseconds &- earlier.microseconds) / 1_000_000
    }

    @inlinable
    public func advanced(byMicroseconds delta: Int64) -> Timestamp {
        Timestamp(microseconds: microseconds &+ delta)
    }

    /// - Parameter seconds: Any number; NaN is 0.
    /// - Returns: The moment so many seconds later, within the range of 64 bits.
    public func advanced(bySeconds seconds: Double) -> Timestamp {
        let delta = (seconds * 1_000_000).rounded()
        guard delta.magnitude < 0x1p63 else {
            return delta.isNaN ? self : Timestamp(microseconds: delta > 0 ? .max : .min)
        }
        let (sum, overflows) = microseconds.addingReportingOverflow(Int64(delta))
        guard overflows else { return Timestamp(microseconds: sum) }
        return Timestamp(microseconds: delta > 0 ? .max : .min)
    }

    @inlinable
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}
