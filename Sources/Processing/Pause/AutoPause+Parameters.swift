extension AutoPause {
    struct Parameters: Sendable {
        /// m/s; the reference's value.
        var pauseBelow = 0.5
        /// m/s; the reference's value.
        var resumeFrom = 0.8
        /// Largest speed of the last seconds' path for a pause, m/s. Doppler alone is not enough,
        /// because receivers report 0 m/s for a while after a hole.
        var trackPauseBelow = 0.6
        var trackResumeFrom = 1.0
        /// Added to `trackResumeFrom`, in units of the track's scatter.
        var trackScatterFactor = 1.5
        /// Seconds after which a still body is a stop. A slow walker's feet move once a second.
        var stillSeconds = 1.0
        /// Seconds of slow positions that make a stop: alone, and when motion shows no steps.
        var slowSeconds = 4.0
        var slowSecondsWithoutSteps = 2.0
        /// Speed by position, m/s, above which a still sensor rides in a vehicle: no stop.
        var ridingSpeed = 1.5
        /// Speed through a hole, m/s, below which it contains a stop, unless the runner moved away.
        var holeSpeedMax = 0.5
        /// Minimum share of the usual way in a hole that rules out a stop.
        var holeShareMin = 0.5
        /// Longest window of positions without motion data, seconds. A pause needs a speed over it
        /// below `standBelow`, m/s, or a multiple of the scatter: a slow hiker has 0.3 to 0.8.
        var standSeconds = 8.0
        var standBelow = 0.52
        var standScatterFactor = 1.5
        /// The limit after the receiver's reported slowness was refuted, m/s; scatter is added.
        var refutedStandBelow = 0.3
        /// Longest motion, seconds, before the first certain steps that counts as the start.
        var stirSecondsMax = 5.0
        /// Seconds of motion that resume the session without positions. Steps are uncertain on
        /// stairs and in crowds.
        var stirSecondsAlone = 3.0
        /// The same for motion as strong as the earlier steps.
        var stirSecondsVigorous = 1.0
        /// Greatest age of a usable position, seconds.
        var positionFreshSeconds = 4.0
        /// Greatest age of usable motion, seconds.
        var motionFreshSeconds = 3.0
    }
}
