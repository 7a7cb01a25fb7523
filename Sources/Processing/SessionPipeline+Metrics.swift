public import SensorModel

/// Assembles the shown values, stage by stage.
extension SessionPipeline {
    /// All values that viewers can see now. Later stages read the values of earlier ones.
    public var metrics: Metrics {
        let times = time.times
        var shown = Metrics()
        time.show(in: &shown, isPaused: pauses.isPaused)
        pauses.show(in: &shown, at: times)
        motion.show(in: &shown, at: times)
        measured.show(in: &shown, at: times)
        position.show(in: &shown, at: times)
        elevation.show(in: &shown, at: times)
        distance.show(
            in: &shown, at: times, isPaused: pauses.isPaused, gradeFactor: elevation.gradeFactor)
        race.show(in: &shown, profile: profile, course: course)
        intervals.show(in: &shown)
        course.show(in: &shown)
        heart.show(in: &shown, at: times)
        load.show(in: &shown, profile: profile)
        alerts.show(in: &shown, isOffCourse: course.isOffCourse)
        device.show(in: &shown)
        return shown
    }

    /// Device time at which silence alone changes a state, or the last values must be shown; `nil`
    /// if there is none.
    public var nextSilenceDeadline: Timestamp? {
        guard !time.isEnded, time.isStarted else { return nil }
        let times = time.times
        var deadline = SilenceDeadline(after: times.shownAt)
        time.addDeadlines(to: &deadline)
        heart.addDeadlines(to: &deadline, at: times)
        motion.addDeadlines(to: &deadline)
        measured.addDeadlines(to: &deadline)
        position.addDeadlines(to: &deadline)
        alerts.addDeadlines(to: &deadline, profile: profile, start: times.start)
        return deadline.time.map(times.deviceTime)
    }
}
