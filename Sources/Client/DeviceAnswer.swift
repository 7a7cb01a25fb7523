import Foundation
public import SensorModel
import WireFormat

/// A message of the daemon to a device, decoded on the device's side.
public enum DeviceAnswer: Hashable, Sendable {
    case welcome(acked: FrameSequence, share: String?)
    case ack(FrameSequence)
    case error(code: UInt16, reason: String)
    /// A command or a cheer, as JSON.
    case other(String)

    init?(json: [UInt8]) {
        guard let object = try? JSONDecoder().decode(Object.self, from: Data(json)) else {
            return nil
        }
        switch object.type {
        case "welcome":
            self = .welcome(
                acked: FrameSequence(rawValue: object.acked ?? 0), share: object.share)
        case "ack": self = .ack(FrameSequence(rawValue: object.seq ?? 0))
        case "error": self = .error(code: object.code ?? 0, reason: object.reason ?? "")
        default: self = .other(String(decoding: json, as: UTF8.self))
        }
    }

    private struct Object: Decodable {
        var type: String?
        var acked: UInt32?
        var share: String?
        var seq: UInt32?
        var code: UInt16?
        var reason: String?
    }
}

/// Splits the daemon's bytes into answers.
struct AnswerSplitter {
    private let isBinary: Bool
    private var pending: [UInt8] = []

    init(isBinary: Bool) {
        self.isBinary = isBinary
    }

    /// Maximum size of an answer in bytes, for a frame and for a line.
    static let answerBytesMax = 1 << 16

    /// - Throws: ``ClientError/answerTooLarge(bytesMax:)``; ``ClientError/notAnAnswer`` for a frame
    ///   that is shorter than its header.
    mutating func answers(in event: ClientEvent) throws(ClientError) -> [DeviceAnswer] {
        switch event {
        case .text(let json): return DeviceAnswer(json: json).map { [$0] } ?? []
        case .binary(let bytes), .bytes(let bytes):
            pending += bytes
            let answers = isBinary ? try frames() : lines()
            guard pending.count <= Self.answerBytesMax else {
                throw .answerTooLarge(bytesMax: Self.answerBytesMax)
            }
            return answers
        }
    }

    private mutating func lines() -> [DeviceAnswer] {
        guard let end = pending.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let whole = pending[..<end]
        pending.removeSubrange(...end)
        return whole.split(separator: UInt8(ascii: "\n")).compactMap {
            DeviceAnswer(json: Array($0))
        }
    }

    private mutating func frames() throws(ClientError) -> [DeviceAnswer] {
        var answers: [DeviceAnswer] = []
        var start = 0
        while start + Limits.frameHeaderBytes <= pending.count {
            let count = Int(pending[start]) | Int(pending[start + 1]) << 8
            guard count >= 14 else { throw .notAnAnswer }
            guard start + 2 + count <= pending.count else { break }
            let frame = Array(pending[start..<(start + 2 + count)])
            start += 2 + count
            if frame[2] == FrameKind.ack.rawValue {
                let number = (4..<8).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(frame[$1]) }
                answers.append(.ack(FrameSequence(rawValue: number)))
            } else if let answer = DeviceAnswer(json: Array(frame[16...])) {
                answers.append(answer)
            }
        }
        pending.removeSubrange(..<start)
        return answers
    }
}
