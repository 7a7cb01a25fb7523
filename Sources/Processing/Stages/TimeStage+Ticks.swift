import SensorModel

/// The whole seconds between samples.
extension TimeStage {
    private enum HoleTicks {
        /// Seconds of a hole with one tick each. After that there is one tick a minute, so that a
        /// jump of time needs limited work.
        static let secondsMax = 600.0
        static let coarseStepSeconds = 60.0
        /// Seconds after which all values are stale. Later only changes are emitted.
        static let shownSecondsMax = 60.0
        /// Seconds from which the device may have been switched off at a hidden place meanwhile, so
        /// nothing that the sample after the hole causes may look like the time before it. Less than
        /// the minute after which zones and trims judge by the sample's own place.
        static let quietSecondsMin = 55.0
    }

    func passesSecond(until time: Timestamp) -> Bool { time >= nextSecond }

    /// Whether the seconds before a sample are a hole that shows nothing before the sample itself.
    func isQuietHole(before time: Timestamp) -> Bool {
        time.seconds(since: nextSecond) >= HoleTicks.quietSecondsMin
    }

    /// Moves the session to its next whole second, for a tick.
    mutating func beginTick() {
        moment = nextSecond
        shownAt = nextSecond
    }

    /// - Parameter time: Time of the sample after the ticked seconds.
    /// - Returns: Whether the second's metrics are shown. The last second's metrics are shown with
    ///   the sample, those of a long hole only after a change.
    mutating func endTick(before time: Timestamp) -> Bool {
        let hole = nextSecond.seconds(since: heardAt)
        let isShown = hole <= HoleTicks.shownSecondsMax || owesMetrics
        let isLast = nextSecond.advanced(byMicroseconds: 1_000_000) > time
        let step = hole < HoleTicks.secondsMax ? 1 : HoleTicks.coarseStepSeconds
        nextSecond = nextSecond.advanced(bySeconds: step)
        return isShown && !isLast
    }

    /// Advances the session's time without a sample.
    mutating func pass(to time: Timestamp) {
        moment = time
        shownAt = time
    }
}
