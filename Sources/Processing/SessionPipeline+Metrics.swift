public import SensorModel

extension SessionPipeline {
    /// Everything a viewer can be shown now.
    public var metrics: Metrics {
        var shown = Metrics()
        shown.state = clock.start == nil ? .waiting : isEnded ? .ended : .live
        shown.elapsedSeconds = clock.elapsedSeconds
        shown.pausedSeconds = movingTime.pausedSeconds(until: clock.now)
        shown.movingSeconds = shown.elapsedSeconds - shown.pausedSeconds
        return shown
    }
}
