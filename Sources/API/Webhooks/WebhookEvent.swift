import SensorModel

/// An event of a session, as JSON for an owner's other systems.
struct WebhookEvent: Encodable, Sendable {
    struct Split: Encodable, Sendable {
        let km: Int?
        let mile: Int?
        let seconds: Double
        let averageHeartRate: Double?
        let elevationMeters: Double?
    }

    struct Alert: Encodable, Sendable {
        let kind: String
        let severity: String
        let phase: String
        let cancelBefore: Double?
        let advice: String?
    }

    /// `sessionStarted`, `sessionEnded`, `split` or `alert`.
    let event: String
    let device: String?
    let session: String
    /// Device time, seconds since 1970.
    let time: Double
    var split: Split?
    var alert: Alert?

    init(event: String, device: String?, session: SessionID, time: Timestamp) {
        self.event = event
        self.device = device
        self.session = "\(session)"
        self.time = time.secondsSince1970
    }

    /// `nil` for events that no webhook sends.
    init?(_ event: StreamEvent, device: String?, session: SessionID) {
        func named(_ name: String) -> WebhookEvent {
            WebhookEvent(event: name, device: device, session: session, time: event.deviceTime)
        }
        switch event.kind {
        case .ended: self = named("sessionEnded")
        case .split(let split):
            self = named("split")
            let isKilometer = split.unit == .kilometer
            self.split = Split(
                km: isKilometer ? split.number : nil, mile: isKilometer ? nil : split.number,
                seconds: split.seconds, averageHeartRate: split.averageHeartRate,
                elevationMeters: split.elevationMeters)
        case .alert(let alert):
            self = named("alert")
            self.alert = Alert(
                kind: alert.kind.name, severity: alert.severity.name, phase: alert.phase.name,
                cancelBefore: alert.cancelBefore?.secondsSince1970, advice: alert.advice)
        default: return nil
        }
    }
}
