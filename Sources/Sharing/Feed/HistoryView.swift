public import SensorModel

/// A session's events as the items of `history`: each update whole, so that a page can begin
/// anywhere. Scope and privacy are the share's.
public struct HistoryView: Sendable {
    private let epoch: UInt32
    private let scope: Scope
    private var privacy: PrivacyFilter
    private let runnerName: String?
    /// Splits and what is raised come as events.
    private static let keys = FieldKey.allCases.filter {
        $0 != .splits && $0 != .startedAt && $0 != .alerts
    }

    /// - Parameters:
    ///   - epoch: Of the log.
    ///   - scope: Of the share.
    ///   - privacy: Of the device.
    ///   - runnerName: In a group, whose history it is.
    public init(
        epoch: UInt32, scope: Scope, privacy: PrivacySettings, runnerName: String? = nil
    ) {
        self.epoch = epoch
        self.scope = scope
        self.privacy = PrivacyFilter(privacy)
        self.runnerName = runnerName
    }

    /// Whether what is shown of an event depends on the ones before it: then a page must be made
    /// from the session's beginning, not from its own.
    public static func dependsOnThePast(_ privacy: PrivacySettings) -> Bool {
        !privacy.hidesNothing
    }

    /// - Returns: The event's item, or `nil` when the share shows nothing of it.
    public mutating func item(of event: StreamEvent, at offset: RecordOffset) -> [UInt8]? {
        let cursor = LogCursor(epoch: epoch, offset: offset)
        switch event.kind {
        case .metrics(let metrics):
            return update(privacy.filter(metrics), cursor: cursor, time: event.deviceTime)
        case let kind where kind.isHiddenInZones && privacy.isInside:
            return nil
        default:
            let form = EventEncoder.forms(of: event, cursor: cursor).first {
                $0.audience.contains(scope)
            }
            guard let runnerName, let form else { return form?.json }
            return MessageWriter.naming(runnerName, in: form.json)
        }
    }

    private func update(_ metrics: Metrics, cursor: LogCursor, time: Timestamp) -> [UInt8] {
        var fragments: [Fragment] = []
        for key in Self.keys where key.audience.contains(scope) {
            var json = JSONWriter(reserving: 64)
            json.raw(key.prefix)
            guard MetricsEncoder.write(key, of: metrics, to: &json) else { continue }
            fragments.append(Fragment(key: key, audience: key.audience, bytes: json.bytes))
        }
        return MessageWriter.object(
            .update, cursor: cursor, time: time, runner: runnerName,
            fragments: fragments)
    }
}
