import SensorModel

extension StreamEvent {
    /// The runner's position, if the event has one.
    var position: PositionMetric? {
        if case .metrics(let metrics) = kind { metrics.position } else { nil }
    }
}

extension StreamEvent.Kind {
    /// Whether the event is a request for help, or its end.
    var isCallForHelp: Bool {
        guard case .alert(let alert) = self else { return false }
        return alert.kind.isCallForHelp
    }
    /// Whether the daemon emits the event while the device sends nothing: values that became stale,
    /// the end, and alerts whose time was set before.
    var isOfSilence: Bool {
        switch self {
        case .metrics(let metrics): metrics.state == .stale || metrics.state == .ended
        case .alert(let alert):
            (alert.kind == .noMovement || alert.kind == .safetyTimer)
                && (alert.phase == .triggered || alert.phase == .confirmed)
        case .ended: true
        default: false
        }
    }
}
