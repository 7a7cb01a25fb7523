import Interchange
import SensorModel

/// Gathers a session's events into what exporters take.
struct RecordedSessionBuilder {
    private(set) var session: RecordedSession
    private var openPause: (start: Timestamp, automatic: Bool)?
    private var hasBegun = false
    private var lapStart: Timestamp?

    init(id: SessionID, device: String) {
        let zero = Timestamp(microseconds: 0)
        session = RecordedSession(id: id, device: device, start: zero, end: zero)
    }

    mutating func take(_ event: StreamEvent, arrivalTime: Timestamp) {
        if !hasBegun {
            hasBegun = true
            session.start = event.deviceTime
            lapStart = event.deviceTime
        }
        session.end = max(session.end, event.deviceTime)
        switch event.kind {
        case .metrics(let metrics): add(metrics, at: event.deviceTime, arrivalTime)
        case .split(let split):
            session.splits.append(SessionSplit(time: event.deviceTime, split: split))
        case .correction(.split(let split)):
            guard
                let index = session.splits.lastIndex(where: {
                    $0.split.unit == split.unit && $0.split.number == split.number
                })
            else { return }
            session.splits[index].split = split
        case .lap(let lap): add(lap, at: event.deviceTime)
        case .paused(let since, let automatic): openPause = (since, automatic)
        case .resumed(let since, _): closePause(at: since)
        case .ended: closePause(at: event.deviceTime)
        case .correction(.pauseBegan(_, let since)):
            if openPause != nil { openPause?.start = since }
        case .correction(.pauseEnded(_, let since)):
            if !session.pauses.isEmpty { session.pauses[session.pauses.count - 1].end = since }
        case .marker, .zoneChanged, .alert, .gap, .sourceChanged: break
        }
    }

    private mutating func add(_ metrics: Metrics, at time: Timestamp, _ arrivalTime: Timestamp) {
        let isLive = metrics.heartRate?.state == .live
        let position = metrics.position.flatMap { $0.state == .live ? $0 : nil }
        let point = SessionPoint(
            time: time, latitude: position?.latitude, longitude: position?.longitude,
            altitudeMeters: position?.altitudeMeters,
            horizontalAccuracyMeters: position?.horizontalAccuracyMeters,
            heartRate: isLive ? metrics.heartRate?.beatsPerMinute : nil,
            cadence: metrics.cadence?.stepsPerMinute, distanceMeters: metrics.distanceMeters,
            speedMetersPerSecond: metrics.speedMetersPerSecond,
            paused: metrics.autoPaused || metrics.manuallyPaused, steps: metrics.steps,
            arrivalTime: arrivalTime)
        if session.points.last?.time == time {
            session.points[session.points.count - 1] = point
        } else if session.points.last.map({ $0.time < time }) ?? true {
            session.points.append(point)
        }
        session.totals.distanceMeters = metrics.distanceMeters
        session.totals.timerSeconds = metrics.movingSeconds
        session.totals.elapsedSeconds = metrics.elapsedSeconds
        session.totals.ascentMeters = metrics.elevationGainMeters
        session.totals.averageHeartRate = metrics.averageHeartRate
        session.totals.maxHeartRate = metrics.maxHeartRate
        session.totals.steps = metrics.steps
    }

    private mutating func add(_ lap: Lap, at time: Timestamp) {
        session.laps.append(
            RecordedLap(
                start: lapStart ?? session.start, end: time, timerSeconds: lap.seconds,
                distanceMeters: lap.distanceMeters, averageHeartRate: lap.averageHeartRate))
        lapStart = time
    }

    private mutating func closePause(at time: Timestamp) {
        guard let pause = openPause else { return }
        openPause = nil
        session.pauses.append(
            RecordedPause(
                start: pause.start, end: max(pause.start, time), automatic: pause.automatic))
    }
}
