import SensorModel

/// An emergency that the wearer can cancel for a while before others are alerted.
///
///     idle --raise--> pending --30 s--> confirmed --clear--> idle
///                        └----cancel---> idle
struct CancelWindow: Sendable {
    /// Seconds; the reference implementation's countdown.
    static let seconds = 30.0

    private enum State: Sendable {
        case idle
        case pending(until: Timestamp)
        case confirmed
    }

    let kind: AlertKind
    private var state = State.idle

    init(_ kind: AlertKind) {
        self.kind = kind
    }

    var isActive: Bool {
        if case .idle = state { false } else { true }
    }

    /// Time at which the alert is confirmed unless cancelled.
    var deadline: Timestamp? {
        if case .pending(let until) = state { until } else { nil }
    }

    mutating func raise(at time: Timestamp) -> Alert? {
        guard !isActive else { return nil }
        let until = time.advanced(bySeconds: Self.seconds)
        state = .pending(until: until)
        return alert(.triggered, until: until)
    }

    mutating func tick(at time: Timestamp) -> Alert? {
        guard case .pending(let until) = state, time >= until else { return nil }
        state = .confirmed
        return alert(.confirmed)
    }

    /// Cancels the alert; after the window, ends it as cleared instead.
    mutating func cancel(at time: Timestamp) -> Alert? {
        guard isActive else { return nil }
        let phase: Alert.Phase = deadline.map { time < $0 } == true ? .cancelled : .cleared
        state = .idle
        return alert(phase)
    }

    /// Ends the alert, since its cause is over.
    mutating func clear() -> Alert? {
        guard isActive else { return nil }
        state = .idle
        return alert(.cleared)
    }

    private func alert(_ phase: Alert.Phase, until: Timestamp? = nil) -> Alert {
        Alert(kind: kind, severity: .emergency, phase: phase, cancelBefore: until)
    }
}
