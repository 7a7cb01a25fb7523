public import SensorModel

/// The current fields of one session in a projection. Each is encoded once, when it changes.
public struct SessionFields: Sendable {
    public let session: SessionID
    private let epoch: UInt32
    /// The forms of each key by audience; empty until its first value.
    private var forms: [[Fragment]] = Array(repeating: [], count: FieldKey.allCases.count)
    private var splits: [Split] = []
    /// Whether an event changed the splits. The next fields then contain them, since two messages
    /// never share a cursor.
    private var splitsArePending = false
    private var states = States()
    private var predictions = SentPredictions()
    private var scratch = ViewerJSON(reserving: 512)
    private var cursor: LogCursor
    private var time = Timestamp(microseconds: 0)
    private var heartRate: HeartRateReading?
    private var hasBegun = false
    /// Whether the end was shown.
    public private(set) var hasEnded = false

    /// More splits than a race of a hundred miles has; older ones are in the history.
    static let splitsMax = 256

    public init(session: SessionID, epoch: UInt32) {
        self.session = session
        self.epoch = epoch
        cursor = LogCursor(epoch: epoch, offset: RecordOffset(rawValue: 0))
    }

    /// Restores the fields at a given progress of a projection.
    public init(session: SessionID, epoch: UInt32, after progress: SessionProjection.Progress) {
        self.init(session: session, epoch: epoch)
        guard let startedAt = progress.startedAt, let newest = progress.newest else { return }
        cursor = LogCursor(epoch: epoch, offset: newest.offset)
        time = startedAt
        var update = SessionUpdate(
            session: session, cursor: cursor, time: time, changed: [], event: [], urgent: true,
            begins: true)
        begin(at: startedAt, &update)
        for split in progress.splits { keep(split) }
        if let shown = progress.metrics, case .metrics(let metrics) = shown.event.kind {
            time = shown.event.deviceTime
            take(metrics, &update)
        }
        time = newest.event.deviceTime
    }

    /// Bytes of the splits, which grow with the session, and of their forms.
    var splitBytes: Int {
        splits.capacity * MemoryLayout<Split>.stride
            + forms[Int(FieldKey.splits.rawValue)].reduce(0) { $0 + $1.bytes.capacity }
    }

    /// Begins with the values of a snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: Events with all latched values.
    ///   - offset: Offset of their record.
    ///   - startedAt: Device time of the session's first event.
    public mutating func restore(
        _ snapshot: [StreamEvent], at offset: RecordOffset, startedAt: Timestamp
    ) {
        var update = SessionUpdate(
            session: session, cursor: cursor, time: time, changed: [], event: [], urgent: true,
            begins: true)
        begin(at: startedAt, &update)
        for event in snapshot { _ = take(event, at: offset) }
    }

    /// Applies the next shown event, in log order.
    ///
    /// - Returns: The changes, which may be none.
    public mutating func take(_ event: StreamEvent, at offset: RecordOffset) -> SessionUpdate {
        cursor = LogCursor(epoch: epoch, offset: offset)
        time = event.deviceTime
        var update = SessionUpdate(
            session: session, cursor: cursor, time: time, changed: [], event: [],
            urgent: !hasBegun, begins: !hasBegun)
        if !hasBegun { begin(at: event.deviceTime, &update) }
        switch event.kind {
        case .metrics(let metrics):
            if metrics.state != .ended { hasEnded = false }
            take(metrics, &update)
        case .split(let split), .correction(.split(let split)):
            keep(split)
            update.event = EventEncoder.forms(of: event, cursor: cursor)
        default:
            if case .ended = event.kind { hasEnded = true }
            update.event = EventEncoder.forms(of: event, cursor: cursor)
        }
        return update
    }

    /// All fields as an update that begins a session, for a view that is added later.
    public var everything: SessionUpdate {
        SessionUpdate(
            session: session, cursor: cursor, time: time,
            changed: currentForms.joined().filter { !$0.isNull }, event: [], heartRate: heartRate,
            urgent: true, begins: true)
    }

    private mutating func begin(at time: Timestamp, _ update: inout SessionUpdate) {
        hasBegun = true
        encode(.startedAt, &update.changed) { json in
            json.number(time.secondsSince1970, decimals: Decimals.time)
            return true
        }
        encode(.state, &update.changed) { json in
            json.text(ValueState.waiting.name)
            return true
        }
    }

    private mutating func take(_ metrics: Metrics, _ update: inout SessionUpdate) {
        let (keepsCourse, keepsFinish) = predictions.take(metrics)
        for key in FieldKey.allCases {
            switch key {
            case .startedAt, .splits, .alerts: continue
            case .course where keepsCourse, .finishEstimate where keepsFinish: continue
            default:
                encode(key, &update.changed) { json in
                    MetricsEncoder.write(key, of: metrics, to: &json)
                }
            }
        }
        encode(alerts: metrics.activeAlerts, &update.changed)
        if splitsArePending {
            forms = currentForms
            update.changed.append(contentsOf: forms[Int(FieldKey.splits.rawValue)])
            splitsArePending = false
        }
        let reading =
            HeartRateReading(metrics, at: time)?.following(heartRate) ?? heartRate?.outdated
        if reading != heartRate {
            heartRate = reading
            update.heartRate = reading
        }
        let states = States(metrics)
        if states != self.states {
            self.states = states
            update.urgent = true
        }
    }

    /// Stores the key's fragment, and adds it to `changed` if it differs.
    private mutating func encode(
        _ key: FieldKey, _ changed: inout [Fragment],
        _ write: (inout ViewerJSON) -> Bool
    ) {
        let known = forms[Int(key.rawValue)].first
        scratch.removeAll()
        scratch.raw(key.prefix)
        let isNull = !write(&scratch)
        if isNull {
            guard known != nil else { return }
            scratch.raw("null")
        }
        guard scratch.bytes != known?.bytes else { return }
        let fragment = Fragment(
            key: key, visibility: key.visibility, isNull: isNull, bytes: scratch.copy)
        changed.removeAll { $0.key == key }
        changed.append(fragment)
        forms[Int(key.rawValue)] = [fragment]
    }

    private mutating func keep(_ split: Split) {
        if let index = splits.firstIndex(where: {
            $0.unit == split.unit && $0.number == split.number
        }) {
            splits[index] = split
        } else {
            splits.append(split)
            if splits.count > Self.splitsMax { splits.removeFirst() }
        }
        splitsArePending = true
    }

    /// The forms including pending splits, encoded late: many may end between two metrics.
    private var currentForms: [[Fragment]] {
        guard splitsArePending else { return forms }
        var current = forms
        current[Int(FieldKey.splits.rawValue)] = [true, false].map { heartRate in
            var json = ViewerJSON(reserving: 96 * splits.count)
            json.raw(FieldKey.splits.prefix)
            MetricsEncoder.write(splits, heartRate: heartRate, to: &json)
            return Fragment(
                key: .splits, visibility: heartRate ? .withHeartRate : .withoutHeartRate,
                bytes: json.copy)
        }
        return current
    }

    /// Encodes the alerts; the scope decides which of them are named.
    private mutating func encode(alerts: [AlertKind], _ changed: inout [Fragment]) {
        let known = forms[Int(FieldKey.alerts.rawValue)]
        if alerts.isEmpty, known.isEmpty { return }
        let fragments = AlertsEncoder.fragments(of: alerts)
        guard fragments != known else { return }
        forms[Int(FieldKey.alerts.rawValue)] = fragments
        changed.append(contentsOf: fragments)
    }
}

/// The states whose changes are sent at once, whatever the viewer's rate.
private struct States: Hashable {
    var session: ValueState?
    var heartRate: ValueState?
    var cadence: ValueState?
    var position: ValueState?
    var autoPaused = false
    var manuallyPaused = false
    var alerts: [AlertKind] = []

    init() {}

    init(_ metrics: Metrics) {
        session = metrics.state
        heartRate = metrics.heartRate?.state
        cadence = metrics.cadence?.state
        position = metrics.position?.state
        autoPaused = metrics.autoPaused
        manuallyPaused = metrics.manuallyPaused
        alerts = metrics.activeAlerts
    }
}
