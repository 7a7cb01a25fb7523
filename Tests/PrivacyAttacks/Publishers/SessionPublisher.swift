public import SensorModel
import Sharing

/// Publishes with the product's ``SessionProjection``: a viewer's data, live or from history, of a
/// session that has ended for good.
public struct SessionPublisher: Publisher {
    public init() {}

    public func publish(_ run: RecordedRun, hiding settings: PrivacySettings) -> ShownRun {
        var projection = SessionProjection(ProjectionRule(settings))
        projection.note(.beginning)
        var reader = ShownRunReader()
        var shown: [ShownEvent] = []
        func read(at now: Timestamp) {
            for event in shown { reader.read(event, at: now) }
            shown.removeAll(keepingCapacity: true)
        }
        for sample in run.samples {
            let event = RecordedRun.event(sample)
            projection.take(
                event, at: sample.offset, arrival: event.deviceTime, into: &shown)
            read(at: event.deviceTime)
        }
        let end = Timestamp(microseconds: Int64(run.endedAt * 1_000_000))
        projection.take(
            StreamEvent(deviceTime: end, kind: .ended),
            at: RecordOffset(rawValue: UInt64(end.microseconds) + 1), arrival: end, into: &shown)
        read(at: end)
        while let due = projection.nextDeadline {
            projection.advance(to: due, into: &shown)
            read(at: due)
        }
        return reader.shown
    }
}

/// Collects the updates that a viewer reads of one run.
struct ShownRunReader {
    private(set) var shown = ShownRun()
    private var last: PositionMetric?
    private var isAfterHidden = false
    /// Time of the last shown update, on the viewer's clock.
    private var newest: Timestamp?

    mutating func read(_ event: ShownEvent, at now: Timestamp) {
        switch event.event.kind {
        case .metrics(let metrics):
            read(
                metrics, at: event.event.deviceTime.secondsSince1970,
                record: Int(event.offset.rawValue), shownAt: now.secondsSince1970)
        case .ended:
            // An end at this fixed delay after the last update tells nothing more.
            let late = newest.map { now.seconds(since: $0) }
            if late != SessionProjection.hiddenSecondsMax { shown.endedAt = now.secondsSince1970 }
        default: break
        }
        // The end of a view first repeats the last metrics.
        if case .metrics(let metrics) = event.event.kind, metrics.state == .ended { return }
        newest = now
    }

    private mutating func read(
        _ metrics: Metrics, at time: Double, record: Int, shownAt: Double
    ) {
        if shown.beganAt == nil { shown.beganAt = time }
        if let meters = metrics.distanceMeters { shown.finalDistanceMeters = meters }
        if metrics.movingSeconds > 0 { shown.finalMovingSeconds = metrics.movingSeconds }
        if let gain = metrics.elevationGainMeters { shown.finalElevationGainMeters = gain }
        // A share without positions is shown by the same rule.
        shown.beside.append(
            ShownValue(
                time: time, distanceMeters: metrics.distanceMeters,
                movingSeconds: metrics.movingSeconds))
        guard let position = metrics.position else {
            isAfterHidden = true
            return
        }
        guard position != last else { return }
        last = position
        var point = ShownPoint(
            time: time, latitude: position.latitude, longitude: position.longitude,
            followsHidden: isAfterHidden)
        isAfterHidden = false
        point.distanceMeters = metrics.distanceMeters
        point.elapsedSeconds = metrics.elapsedSeconds
        point.movingSeconds = metrics.movingSeconds
        point.speed = metrics.speedMetersPerSecond
        point.elevationGainMeters = metrics.elevationGainMeters
        point.record = record
        point.shownAt = shownAt
        shown.points.append(point)
    }
}
