import Foundation
import Replay
import SegmentLog
import SensorModel
import Sessions
import Sharing

/// Result of `replay --verify` and `replay --diff`.
struct ReplayReport: Encodable {
    static let version = SessionComputation(profile: RunnerProfile()).version

    /// One event that differs; if both runs have the event, only the fields that differ.
    struct Difference: Encodable {
        let offset: UInt64?
        let deviceTime: Double
        let recorded: String?
        let computed: String?
    }

    let session: String
    let frames: Int
    let events: Int
    let differing: Int
    let unrecorded: Int
    let algorithmVersion: UInt16
    let recordedVersion: UInt16
    let differences: [Difference]

    init(_ session: SessionID, _ result: ReplayVerification) {
        self.session = "\(session)"
        frames = result.frames
        events = result.events
        differing = result.differenceCount
        unrecorded = result.unrecorded
        algorithmVersion = Self.version
        recordedVersion = result.otherVersion ?? Self.version
        differences = result.differences.map(Self.difference)
    }

    var text: String {
        var lines = ["\(frames) frames, \(events) events, \(differing) differ"]
        if unrecorded > 0 { lines.append("\(unrecorded) event(s) are computed and not recorded") }
        for difference in differences {
            lines.append(
                "at \(difference.deviceTime)"
                    + (difference.offset.map { ", record \($0):" } ?? ", not recorded:"))
            lines.append("  recorded \(difference.recorded ?? "nothing")")
            lines.append("  computed \(difference.computed ?? "nothing")")
        }
        return lines.joined(separator: "\n")
    }

    private static func difference(_ found: ReplayVerification.Difference) -> Difference {
        var recorded = fields(of: found.recorded, at: found.offset)
        var computed = fields(of: found.computed, at: found.offset)
        for (key, value) in recorded where computed[key] == value && key != "event" {
            recorded[key] = nil
            computed[key] = nil
        }
        return Difference(
            offset: found.offset?.rawValue,
            deviceTime: found.deviceTime.secondsSince1970,
            recorded: found.recorded.map { text(recorded) ?? "\($0.kind)" },
            computed: found.computed.map { text(computed) ?? "\($0.kind)" })
    }

    private static func fields(
        of event: StreamEvent?, at offset: RecordOffset?
    ) -> [String: NSObject] {
        let view = HistoryEncoder(epoch: 1, scope: .all)
        guard let event,
            let json = view.item(of: event, at: offset ?? RecordOffset(rawValue: 0)),
            let object = try? JSONSerialization.jsonObject(with: Data(json))
        else { return [:] }
        return object as? [String: NSObject] ?? [:]
    }

    /// `nil` for differences that viewers cannot see.
    private static func text(_ fields: [String: NSObject]) -> String? {
        guard !fields.isEmpty else { return nil }
        return
            (try? JSONSerialization.data(
                withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes]))
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
