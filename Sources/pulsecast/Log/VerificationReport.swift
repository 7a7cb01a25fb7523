import Foundation
import SegmentLog
import SensorModel

/// Output of `log verify --json`.
struct VerificationReport: Encodable {
    struct Damage: Encodable {
        let segment: String
        let byte: Int
        let reason: String
    }

    struct Tail: Encodable {
        let segment: String
        let byte: Int
        let bytes: Int
    }

    let segments: Int
    let records: Int
    let frames: Int
    let bytes: Int
    let damaged: [Damage]
    let tornTail: Tail?

    private enum CodingKeys: CodingKey {
        case segments, records, frames, bytes, damaged, tornTail
    }

    init(_ found: LogVerification) {
        segments = found.segments
        records = found.records
        frames = found.frames
        bytes = found.bytes
        damaged = found.damaged.map {
            Damage(segment: $0.segment, byte: $0.byte, reason: $0.reason.rawValue)
        }
        tornTail = found.tornTail.map {
            Tail(segment: $0.segment, byte: $0.byte, bytes: $0.bytes)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(segments, forKey: .segments)
        try container.encode(records, forKey: .records)
        try container.encode(frames, forKey: .frames)
        try container.encode(bytes, forKey: .bytes)
        try container.encode(damaged, forKey: .damaged)
        // The format guarantees this key: `null` instead of a missing key.
        try container.encode(tornTail, forKey: .tornTail)
    }
}

struct SegmentRow: Encodable {
    let segment: String
    let sealed: Bool
    let bytes: Int
    let firstOffset: UInt64
    let endOffset: UInt64
    let records: Int
    let sessions: Int

    init(_ summary: SegmentSummary) {
        segment = summary.name
        sealed = summary.isSealed
        bytes = summary.bytes
        firstOffset = summary.firstOffset.rawValue
        endOffset = summary.endOffset.rawValue
        records = summary.records
        sessions = summary.sessions
    }
}

struct LogStat: Encodable {
    let segments: Int
    let bytes: Int
    let records: Int
    let sessions: Int
    let frames: Int
    let firstArrival: Double?
    let lastArrival: Double?

    init(segments: [SegmentSummary], sessions: [SessionSummary]) {
        self.segments = segments.count
        bytes = segments.reduce(0) { $0 + $1.bytes }
        records = segments.reduce(0) { $0 + $1.records }
        self.sessions = sessions.count
        frames = sessions.reduce(0) { $0 + $1.frames }
        firstArrival = sessions.map(\.arrivalTimes.lowerBound).min()?.secondsSince1970
        lastArrival = sessions.map(\.arrivalTimes.upperBound).max()?.secondsSince1970
    }
}

extension Terminal {
    /// Prints one line of JSON, keys in a stable order.
    static func say(encoded value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        say(json: Array(try encoder.encode(value)))
    }
}
