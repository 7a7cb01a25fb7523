import Bytes
import SegmentLog
import SensorModel
import Sessions
import Sharing
import WireFormat

/// A record as printed by `log cat`: one JSON object, the payload in hex and decoded.
enum RecordText {
    /// - Parameters:
    ///   - header: Header of the record.
    ///   - payload: Payload as on disk.
    ///   - segment: File that holds it; `nil` if it was removed meanwhile.
    /// - Returns: The object, without a line feed.
    static func line(
        _ header: RecordHeader, _ payload: Span<UInt8>, segment: String?
    ) -> String {
        var text = "{\"offset\":\(header.offset.rawValue)"
        text += ",\"segment\":\(segment.map { "\"\($0)\"" } ?? "null")"
        text += ",\"type\":\"\(header.type.name)\""
        text += ",\"session\":\"\(header.session)\""
        text += ",\"seq\":\(header.sequence.isCounted ? "\(header.sequence.rawValue)" : "null")"
        text += ",\"deviceTime\":\(seconds(header.deviceTime))"
        text += ",\"arrivalTime\":\(seconds(header.arrivalTime))"
        text += ",\"payload\":\"\(Hexadecimal.text(of: payload))\""
        return text + decoded(header, payload) + "}"
    }

    private static func decoded(_ header: RecordHeader, _ payload: Span<UInt8>) -> String {
        do {
            if case .frame(let kind) = header.type {
                let frame = try FramePayload.decode(
                    FrameHeader(
                        kind: kind, sequence: header.sequence, deviceTime: header.deviceTime),
                    payload: payload)
                return FrameText.fields(frame.payload)
            }
            return try fields(of: SessionRecord(header, payload: payload), at: header)
        } catch {
            return ",\"unreadable\":\"\(error)\""
        }
    }

    private static func fields(of record: SessionRecord, at header: RecordHeader) -> String {
        switch record {
        case .head(let head):
            return ",\"device\":\(head.device.rawValue),\"recorded\":\(head.recorded)"
                + ",\"algorithmVersion\":\(head.algorithmVersion)"
        case .course(let course):
            return ",\"coursePoints\":\(course?.points.count ?? 0)"
                + ",\"checkpoints\":\(course?.checkpoints.count ?? 0)"
        case .tick(.silence): return ",\"tick\":\"silence\""
        case .tick(.ended): return ",\"tick\":\"ended\""
        case .tick(.gap(let from, let to)):
            return ",\"tick\":\"gap\",\"from\":\(from.rawValue),\"to\":\(to.rawValue)"
        case .snapshot(let events): return ",\"events\":\(events.count)"
        case .frame: return ""
        case .event(let event):
            let cursor = LogCursor(epoch: 0, offset: header.offset)
            let view = HistoryEncoder(epoch: cursor.epoch, scope: .all)
            guard let item = view.item(of: event, at: header.offset) else { return "" }
            return ",\"event\":" + String(decoding: item, as: UTF8.self)
        }
    }

    private static func seconds(_ time: Timestamp) -> String {
        let micros = time.microseconds
        let fraction = String(abs(micros % 1_000_000))
        let padded = String(repeating: "0", count: 6 - fraction.count) + fraction
        return "\(micros < 0 ? "-" : "")\(abs(micros / 1_000_000)).\(padded)"
    }
}
