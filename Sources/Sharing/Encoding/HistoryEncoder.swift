public import SensorModel

/// Encodes shown events as items of `history`, each update complete, so that a page can begin
/// anywhere.
public struct HistoryEncoder: Sendable {
    let epoch: UInt32
    private let scope: Scope
    private let runnerName: String?
    /// The fields of an update, without splits and alerts, which are events of their own.
    private static let keys = FieldKey.allCases.filter {
        $0 != .splits && $0 != .startedAt && $0 != .alerts
    }

    /// - Parameters:
    ///   - epoch: Epoch of the log.
    ///   - scope: Scope of the share.
    ///   - runnerName: Name of the runner in a group.
    public init(epoch: UInt32, scope: Scope, runnerName: String? = nil) {
        self.epoch = epoch
        self.scope = scope
        self.runnerName = runnerName
    }

    /// - Parameters:
    ///   - event: An event from the share's projection.
    ///   - offset: Offset of its record.
    /// - Returns: The event's item, or `nil` if the scope includes nothing of it.
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
            var json = ViewerJSON(reserving: 64)
            json.raw(key.prefix)
            guard MetricsEncoder.write(key, of: metrics, to: &json) else { continue }
            fragments.append(Fragment(key: key, visibility: key.visibility, bytes: json.bytes))
        }
        return MessageWriter.object(
            .update, cursor: cursor, time: time, runner: runnerName,
            fragments: fragments)
    }
}
