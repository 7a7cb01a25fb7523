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
}
