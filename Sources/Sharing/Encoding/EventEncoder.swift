public import SensorModel

/// Discrete events as JSON objects, with a form for each audience that sees different fields.
public enum EventEncoder {
    /// - Returns: Forms with disjoint audiences; empty for ``StreamEvent/Kind/metrics(_:)``, which
    ///   is the state and not an event.
    public static func forms(of event: StreamEvent, cursor: LogCursor) -> [EventForm] {
        let head = Head(cursor: cursor, time: event.deviceTime)
        switch event.kind {
        case .metrics: return []
        case .marker(let text):
            return [head.event("marker") { $0.text("text", text, &$1) }]
        case .paused(let since, let automatic):
            return [head.change("paused", since: since, automatic: automatic)]
        case .resumed(let since, let automatic):
            return [head.change("resumed", since: since, automatic: automatic)]
        case .split(let split): return head.split("split", split, corrected: false)
        case .zoneChanged(let from, let to):
            return [head.zoneChange(from: from, to: to)]
        case .lap(let lap): return head.lap(lap)
        case .intervalStarted(let start): return [head.interval(start)]
        case .intervalEnding(let number, let seconds):
            return [
                head.event("intervalEnding", for: .holding(.metrics)) {
                    $0.integer("number", number, &$1)
                    $0.number("remainingSeconds", seconds, decimals: Decimals.seconds, &$1)
                }
            ]
        case .intervalEnded(let interval): return head.interval(interval)
        case .checkpointReached(let reached): return head.checkpoint(reached)
        case .alert(let alert): return [head.alert(alert)]
        case .gap(let from, let to):
            return [
                head.event("gap") {
                    $0.integer("from", Int(from.rawValue), &$1)
                    $0.integer("to", Int(to.rawValue), &$1)
                }
            ]
        case .correction(let correction): return head.correction(correction)
        case .sourceChanged(let from, let to):
            return [head.sourceChange(from: from, to: to)]
        case .ended:
            return [
                EventForm(
                    visibility: .everyone,
                    json: MessageWriter.object(
                        .end, cursor: cursor, time: event.deviceTime, runner: nil,
                        fragments: []))
            ]
        }
    }

    /// The first message to a reader whose cursor refers to deleted history.
    public static func historyGap(cursor: LogCursor, time: Timestamp) -> EncodedMessage {
        MessageWriter.message(
            .gap, cursor: cursor, time: time, runner: nil, fragments: [])
    }
}

/// The first fields of every event: type, cursor, time, and its own name.
private struct Head {
    typealias Body = (inout JSONObject, inout ViewerJSON) -> Void

    let cursor: LogCursor
    let time: Timestamp

    func event(
        _ name: String, for visibility: VisibilityMask = .everyone, _ body: Body
    ) -> EventForm {
        var json = ViewerJSON(reserving: 160)
        JSONObject.write(to: &json) { object, json in
            object.text("type", "event", &json)
            object.text("event", name, &json)
            object.text("cursor", cursor.description, &json)
            object.time("time", time, &json)
            body(&object, &json)
        }
        return EventForm(visibility: visibility, json: json.bytes)
    }

    func change(_ name: String, since: Timestamp, automatic: Bool) -> EventForm {
        event(name) {
            $0.time("since", since, &$1)
            $0.bool("automatic", automatic, &$1)
        }
    }

    func zoneChange(from: Int?, to: Int) -> EventForm {
        event("zoneChanged", for: .holding(.heartRate)) {
            $0.integer("from", from, &$1)
            $0.integer("zone", to, &$1)
        }
    }

    func sourceChange(from: String?, to: String) -> EventForm {
        event("sourceChanged", for: .holding(.heartRate)) {
            $0.text("from", from, &$1)
            $0.text("source", to, &$1)
        }
    }

    func split(_ name: String, _ split: Split, corrected: Bool) -> [EventForm] {
        [true, false].map { heartRate in
            event(name, for: heartRate ? .withHeartRate : .withoutHeartRate) {
                MetricsEncoder.write(split, heartRate: heartRate, to: &$0, &$1)
                if corrected { $0.bool("corrected", true, &$1) }
            }
        }
    }

    func lap(_ lap: Lap) -> [EventForm] {
        [true, false].map { heartRate in
            event("lap", for: heartRate ? .withHeartRate : .withoutHeartRate) {
                $0.integer("number", lap.number, &$1)
                $0.number("seconds", lap.seconds, decimals: Decimals.seconds, &$1)
                $0.number(
                    "distanceMeters", lap.distanceMeters, decimals: Decimals.distanceMeters, &$1)
                guard heartRate else { return }
                $0.number(
                    "averageHeartRate", lap.averageHeartRate, decimals: Decimals.heartRate, &$1)
            }
        }
    }

    func interval(_ start: IntervalStart) -> EventForm {
        event("intervalStarted", for: .holding(.metrics)) {
            $0.integer("number", start.number, &$1)
            $0.integer("of", start.count, &$1)
            write(start.goal, &$0, &$1)
            $0.time("since", start.since, &$1)
        }
    }

    func interval(_ interval: Interval) -> [EventForm] {
        [true, false].map { heartRate in
            event("intervalEnded", for: heartRate ? .withHeartRate : .withoutHeartRate) {
                $0.integer("number", interval.number, &$1)
                $0.integer("of", interval.count, &$1)
                write(interval.goal, &$0, &$1)
                $0.time("start", interval.start, &$1)
                $0.time("end", interval.end, &$1)
                $0.number("seconds", interval.seconds, decimals: Decimals.seconds, &$1)
                $0.number(
                    "distanceMeters", interval.distanceMeters, decimals: Decimals.distanceMeters,
                    &$1)
                $0.number(
                    "paceSecondsPerKm", interval.paceSecondsPerKm, decimals: Decimals.pace, &$1)
                guard heartRate else { return }
                $0.number(
                    "averageHeartRate", interval.averageHeartRate, decimals: Decimals.heartRate,
                    &$1)
                $0.number(
                    "maxHeartRate", interval.maxHeartRate, decimals: Decimals.heartRate, &$1)
            }
        }
    }

    /// Encodes a checkpoint for location scopes only, since its name reveals a place.
    func checkpoint(_ reached: CheckpointReached) -> [EventForm] {
        [true, false].map { metrics in
            let visibility =
                metrics
                ? VisibilityMask.holding([.location, .metrics])
                : VisibilityMask.holding(.location, without: .metrics)
            return event("checkpointReached", for: visibility) {
                $0.text("checkpoint", reached.checkpoint, &$1)
                $0.number(
                    "elapsedSeconds", reached.elapsedSeconds, decimals: Decimals.seconds, &$1)
                guard metrics else { return }
                $0.number(
                    "distanceMeters", reached.distanceMeters, decimals: Decimals.distanceMeters,
                    &$1)
            }
        }
    }

    private func write(
        _ goal: IntervalPlan.Phase, _ object: inout JSONObject, _ json: inout ViewerJSON
    ) {
        switch goal {
        case .seconds(let seconds):
            object.number("goalSeconds", seconds, decimals: Decimals.seconds, &json)
        case .meters(let meters):
            object.number("goalMeters", meters, decimals: Decimals.distanceMeters, &json)
        }
    }

    func alert(_ alert: Alert) -> EventForm {
        event("alert", for: .holding(alert.kind.neededScope)) {
            $0.text("kind", alert.kind.name, &$1)
            $0.text("severity", alert.severity.name, &$1)
            $0.text("phase", alert.phase.name, &$1)
            $0.time("cancelBefore", alert.cancelBefore, &$1)
            $0.text("advice", alert.advice, &$1)
        }
    }

    func correction(_ correction: Correction) -> [EventForm] {
        switch correction {
        case .split(let split): self.split("split", split, corrected: true)
        case .pauseBegan(let shown, let since): [redated("paused", shown: shown, since: since)]
        case .pauseEnded(let shown, let since): [redated("resumed", shown: shown, since: since)]
        }
    }

    private func redated(_ name: String, shown: Timestamp, since: Timestamp) -> EventForm {
        event(name) {
            $0.time("since", since, &$1)
            $0.time("shownSince", shown, &$1)
            $0.bool("corrected", true, &$1)
        }
    }
}

extension VisibilityMask {
    static let withHeartRate = VisibilityMask.holding([.metrics, .heartRate])
    static let withoutHeartRate = VisibilityMask.holding(.metrics, without: .heartRate)
}

extension AlertKind {
    /// Safety alerts are for every scope; others need the scope of their values.
    var neededScope: Scope {
        switch self {
        case .zoneDrift: .heartRate
        case .pace: .metrics
        case .offCourse: .location
        case .fall, .noMovement, .safetyTimer, .sos: []
        }
    }
}
