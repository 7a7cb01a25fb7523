public import SensorModel

/// Shown events as the items of `history`: each update whole, so that a page can begin anywhere.
public struct HistoryEncoder: Sendable {
    private let epoch: UInt32
    private let scope: Scope
    private let runnerName: String?
    /// Splits and what is raised come as events.
    private static let keys = FieldKey.allCases.filter {
        $0 != .splits && $0 != .startedAt && $0 != .alerts
    }

    /// - Parameters:
    ///   - epoch: Of the log.
    ///   - scope: Of the share.
    ///   - runnerName: In a group, whose history it is.
    public init(epoch: UInt32, scope: Scope, runnerName: String? = nil) {
        self.epoch = epoch
        self.scope = scope
        self.runnerName = runnerName
    }

    /// - Parameters:
    ///   - event: As the share's projection gave it.
    ///   - offset: Of its record.
    /// - Returns: The event's item, or `nil` when the scope has nothing of it.
    public func item(of event: StreamEvent, at offset: RecordOffset) -> [UInt8]? {
        let cursor = LogCursor(epoch: epoch, offset: offset)
        if case .metrics(let metrics) = event.kind {
            return update(metrics, cursor: cursor, time: event.deviceTime)
        }
        let form = EventEncoder.forms(of: event, cursor: cursor).first {
            $0.visibility.contains(scope)
        }
        guard let runnerName, let form else { return form?.json }
        return MessageWriter.naming(runnerName, in: form.json)
    }

    private func update(_ metrics: Metrics, cursor: LogCursor, time: Timestamp) -> [UInt8] {
        var fragments: [Fragment] = []
        for key in Self.keys where key.visibility.contains(scope) {
            var json = JSONWriter(reserving: 64)
            json.raw(key.prefix)
            guard MetricsEncoder.write(key, of: metrics, to: &json) else { continue }
            fragments.append(Fragment(key: key, visibility: key.visibility, bytes: json.bytes))
        }
        return MessageWriter.object(
            .update, cursor: cursor, time: time, runner: runnerName,
            fragments: fragments)
    }
}
