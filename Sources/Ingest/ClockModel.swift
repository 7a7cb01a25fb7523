public import SensorModel

/// An estimate of a device's clock from the arrival times of its frames.
///
/// A frame cannot arrive before it was sent. So the smallest difference between arrival and device
/// time is the clock offset plus the shortest delay. Each window of arrival time keeps only its
/// smallest difference; a line below these gives offset and drift. A backlog has only large
/// differences, which no longer matter once the device has caught up. After a device sets its
/// clock back, the model follows as soon as the old windows expire.
public struct ClockModel: Hashable, Sendable {
    private static let windowMicroseconds: Int64 = 10_000_000
    private static let windowsMax = 16
    /// A second frame must confirm a larger jump ahead.
    private static let jumpMicroseconds: Int64 = 5_000_000
    /// Quartz is within 100 ppm. More drift comes from the network, not from the clock.
    private static let driftMax = 500e-6
    /// With fewer windows the slope measures the network more than the clock.
    private static let windowsForDrift = 6

    private struct Window: Hashable {
        var start: Timestamp
        /// Arrival of the smallest difference in the window.
        var arrivalTime: Timestamp
        var difference: Int64
    }

    /// Whether device times come from a recording, so that only their order counts.
    public let recorded: Bool
    public private(set) var latestDeviceTime: Timestamp?
    public private(set) var latestArrival: Timestamp?
    /// Seconds that the device's clock loses in a second; negative if it gains.
    public private(set) var drift = 0.0
    private var windows: [Window] = []
    /// A difference far below all others, until a second one like it confirms it.
    private var suspect: Int64?
    /// A time of a recording far ahead of all others, until a second one near it confirms it.
    private var doubted: Timestamp?
    /// A larger jump ahead of a recording needs a second time near it; the limit of `SessionClock`.
    private static let recordedJumpSeconds = 3600.0

    public init(recorded: Bool) {
        self.recorded = recorded
        windows.reserveCapacity(Self.windowsMax)
    }

    /// - Parameters:
    ///   - deviceTime: Device time of a frame in order.
    ///   - arrivalTime: Arrival of the frame.
    public mutating func observe(_ deviceTime: Timestamp, at arrivalTime: Timestamp) {
        if let latest = latestArrival, latest.seconds(since: arrivalTime) > 1 {
            // The daemon's clock was set back.
            windows.removeAll(keepingCapacity: true)
        }
        latestArrival = arrivalTime
        guard !recorded else { return observeRecorded(deviceTime) }
        let difference = arrivalTime.microseconds - deviceTime.microseconds
        if suspect == nil, let last = windows.last, difference >= last.difference,
            arrivalTime.microseconds - last.start.microseconds < Self.windowMicroseconds
        {
            // Most frames give no new information about the clock.
            latestDeviceTime = max(latestDeviceTime ?? deviceTime, deviceTime)
            return
        }
        guard !isSuspect(difference, at: arrivalTime) else { return }
        add(difference, at: arrivalTime)
        latestDeviceTime = max(deviceTime, believable(latestDeviceTime, at: arrivalTime))
    }

    private mutating func observeRecorded(_ deviceTime: Timestamp) {
        guard let latest = latestDeviceTime,
            deviceTime.seconds(since: latest) > Self.recordedJumpSeconds
        else {
            latestDeviceTime = max(latestDeviceTime ?? deviceTime, deviceTime)
            return
        }
        let isConfirmed = doubted.map {
            abs(deviceTime.seconds(since: $0)) < Self.recordedJumpSeconds
        }
        doubted = isConfirmed == true ? nil : deviceTime
        if isConfirmed == true { latestDeviceTime = deviceTime }
    }

    /// The device's time when the daemon's clock is `arrivalTime`; `nil` before the first frame.
    ///
    /// The result is never before the newest frame.
    public func deviceTime(at arrivalTime: Timestamp) -> Timestamp? {
        guard let latestDeviceTime, let latestArrival else { return nil }
        if recorded {
            let elapsed = max(arrivalTime.microseconds - latestArrival.microseconds, 0)
            return latestDeviceTime.advanced(byMicroseconds: elapsed)
        }
        guard let offset = offsetMicroseconds(at: arrivalTime) else { return latestDeviceTime }
        return max(latestDeviceTime, arrivalTime.advanced(byMicroseconds: -offset))
    }

    /// Expected arrival of a frame that the device sends at `deviceTime`.
    public func arrivalTime(of deviceTime: Timestamp) -> Timestamp? {
        guard let latestDeviceTime, let latestArrival else { return nil }
        if recorded {
            let ahead = deviceTime.microseconds - latestDeviceTime.microseconds
            return latestArrival.advanced(byMicroseconds: max(ahead, 0))
        }
        guard let offset = offsetMicroseconds(at: latestArrival) else { return nil }
        // The drift over the delay is nanoseconds; one step is enough.
        let near = deviceTime.advanced(byMicroseconds: offset)
        let refined = offsetMicroseconds(at: near) ?? offset
        return deviceTime.advanced(byMicroseconds: refined)
    }

    /// Arrival time minus device time at the shortest delay; `nil` before the first frame.
    public func offsetMicroseconds(at arrivalTime: Timestamp) -> Int64? {
        windows.lazy.map { Self.moved($0, to: arrivalTime, drift) }.min()
    }

    /// A window's difference, extended by the drift.
    private static func moved(_ window: Window, to time: Timestamp, _ drift: Double) -> Int64 {
        guard drift != 0 else { return window.difference }
        return window.difference + Int64((time.seconds(since: window.arrivalTime) * drift * 1e6))
    }

    /// Limits a device time to the clock's estimate: a later one was wrong, or the clock went back.
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
            // The clock was set ahead: earlier windows no longer apply.
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

    /// The median of the slopes between all pairs of windows: a few bad windows do not move it.
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
