public import SensorModel

/// What time it is on a device, judged by when its frames come.
///
/// A frame cannot arrive before it was sent, so the smallest difference between arrival and
/// device time in a while is the offset of the clocks plus the shortest way. Differences are
/// gathered in windows of arrival time and only each window's smallest is kept; a line below
/// them gives offset and drift. A backlog only brings large differences, which do not matter once
/// it has caught up. A clock that was set back is followed when the old windows have gone.
public struct ClockModel: Hashable, Sendable {
    private static let windowMicroseconds: Int64 = 10_000_000
    private static let windowsMax = 16
    /// A jump ahead by more has to be confirmed by a second frame.
    private static let jumpMicroseconds: Int64 = 5_000_000
    /// Quartz is within 100 ppm; more is a change of the network, not of the clock.
    private static let driftMax = 500e-6
    /// Below this many windows a slope says more about the network than about the clock.
    private static let windowsForDrift = 6

    private struct Window: Hashable {
        var start: Timestamp
        /// Where in the window the smallest difference was seen.
        var arrivalTime: Timestamp
        var difference: Int64
    }

    /// Device times are from a recording: only their own order means anything.
    public let recorded: Bool
    public private(set) var latestDeviceTime: Timestamp?
    public private(set) var latestArrival: Timestamp?
    /// Seconds the device's clock loses a second; negative: it gains.
    public private(set) var drift = 0.0
    private var windows: [Window] = []
    /// A difference far below all others, not believed until a second one is like it.
    private var suspect: Int64?

    public init(recorded: Bool) {
        self.recorded = recorded
        windows.reserveCapacity(Self.windowsMax)
    }

    /// - Parameters:
    ///   - deviceTime: Of a frame that came in order.
    ///   - arrivalTime: When it came.
    public mutating func observe(_ deviceTime: Timestamp, at arrivalTime: Timestamp) {
        if let latest = latestArrival, latest.seconds(since: arrivalTime) > 1 {
            // The daemon's clock was set back.
            windows.removeAll(keepingCapacity: true)
        }
        latestArrival = arrivalTime
        guard !recorded else {
            latestDeviceTime = max(latestDeviceTime ?? deviceTime, deviceTime)
            return
        }
        let difference = arrivalTime.microseconds - deviceTime.microseconds
        if suspect == nil, let last = windows.last, difference >= last.difference,
            arrivalTime.microseconds - last.start.microseconds < Self.windowMicroseconds
        {
            // Most frames tell nothing new about the clock.
            latestDeviceTime = max(latestDeviceTime ?? deviceTime, deviceTime)
            return
        }
        guard !isSuspect(difference, at: arrivalTime) else { return }
        add(difference, at: arrivalTime)
        latestDeviceTime = max(deviceTime, believable(latestDeviceTime, at: arrivalTime))
    }

    /// The device's clock when the daemon's says `arrivalTime`; `nil` before the first frame.
    ///
    /// Never before the newest frame.
    public func deviceTime(at arrivalTime: Timestamp) -> Timestamp? {
        guard let latestDeviceTime, let latestArrival else { return nil }
        if recorded {
            let elapsed = max(arrivalTime.microseconds - latestArrival.microseconds, 0)
            return latestDeviceTime.advanced(byMicroseconds: elapsed)
        }
        guard let offset = offsetMicroseconds(at: arrivalTime) else { return latestDeviceTime }
        return max(latestDeviceTime, arrivalTime.advanced(byMicroseconds: -offset))
    }

    /// When a frame that the device would send at `deviceTime` would come.
    public func arrivalTime(of deviceTime: Timestamp) -> Timestamp? {
        guard let latestDeviceTime, let latestArrival else { return nil }
        if recorded {
            let ahead = deviceTime.microseconds - latestDeviceTime.microseconds
            return latestArrival.advanced(byMicroseconds: max(ahead, 0))
        }
        guard let offset = offsetMicroseconds(at: latestArrival) else { return nil }
        // The drift over the way there is nanoseconds; one step is enough.
        let near = deviceTime.advanced(byMicroseconds: offset)
        let refined = offsetMicroseconds(at: near) ?? offset
        return deviceTime.advanced(byMicroseconds: refined)
    }

    /// Arrival time minus device time over the shortest way; `nil` before the first frame.
    public func offsetMicroseconds(at arrivalTime: Timestamp) -> Int64? {
        windows.lazy.map { Self.moved($0, to: arrivalTime, drift) }.min()
    }

    /// A window's difference, carried on by the drift.
    private static func moved(_ window: Window, to time: Timestamp, _ drift: Double) -> Int64 {
        guard drift != 0 else { return window.difference }
        return window.difference + Int64((time.seconds(since: window.arrivalTime) * drift * 1e6))
    }

    /// A time further ahead than the clocks explain was a mistake, or the clock was set back.
    private func believable(_ latest: Timestamp?, at arrivalTime: Timestamp) -> Timestamp {
        guard let latest, let offset = offsetMicroseconds(at: arrivalTime) else {
            return Timestamp(microseconds: .min)
        }
        return min(latest, arrivalTime.advanced(byMicroseconds: -offset))
    }

    private mutating func isSuspect(_ difference: Int64, at arrivalTime: Timestamp) -> Bool {
        guard let known = offsetMicroseconds(at: arrivalTime),
            difference < known - Self.jumpMicroseconds
        else {
            suspect = nil
            return false
        }
        if let suspect, abs(suspect - difference) < Self.jumpMicroseconds {
            // The clock was set ahead: what was known before is worth nothing.
            windows.removeAll(keepingCapacity: true)
            drift = 0
            self.suspect = nil
            return false
        }
        suspect = difference
        return true
    }

    private mutating func add(_ difference: Int64, at arrivalTime: Timestamp) {
        if let last = windows.indices.last,
            arrivalTime.microseconds - windows[last].start.microseconds < Self.windowMicroseconds
        {
            if difference < windows[last].difference {
                windows[last].difference = difference
                windows[last].arrivalTime = arrivalTime
            }
            return
        }
        if windows.count == Self.windowsMax { windows.removeFirst() }
        drift = Self.slope(windows)
        windows.append(
            Window(start: arrivalTime, arrivalTime: arrivalTime, difference: difference))
    }

    /// The median of the slopes between every two windows: a few bad ones do not move it.
    private static func slope(_ windows: [Window]) -> Double {
        guard windows.count >= windowsForDrift else { return 0 }
        var slopes: [Double] = []
        for later in windows.indices {
            for earlier in 0..<later {
                let seconds = windows[later].arrivalTime.seconds(
                    since: windows[earlier].arrivalTime)
                guard seconds > 0 else { continue }
                let difference = windows[later].difference - windows[earlier].difference
                slopes.append(Double(difference) / 1e6 / seconds)
            }
        }
        slopes.sort()
        let median = slopes.isEmpty ? 0 : slopes[slopes.count / 2]
        return min(max(median, -driftMax), driftMax)
    }
}
