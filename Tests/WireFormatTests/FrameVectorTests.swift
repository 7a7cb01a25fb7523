import Bytes
import Foundation
import SensorModel
import Testing
import WireFormat

/// The record page encodes frames in JavaScript. Its tests and these read the same vectors, so the
/// two sides agree byte for byte.
@Suite struct FrameVectorTests {
    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let kind: String
        let sequence: UInt32
        let milliseconds: Double
        let value: Value
        let bytes: String

        var testDescription: String { name }
        var hex: [UInt8] { Hexadecimal.bytes(of: bytes.utf8) ?? [] }
    }

    /// All fields of all kinds; each kind uses its own.
    struct Value: Decodable, Sendable {
        let beatsPerMinute: Double?
        let contact: Bool?
        let intervals: [UInt16]?
        let latitude: Double?
        let longitude: Double?
        let altitude: Double?
        let accuracy: Double?
        let altitudeAccuracy: Double?
        let speed: Double?
        let heading: Double?
        let samples: [[Int16]]?
        let hasRotation: Bool?
        let includesGravity: Bool?
        let intervalMicroseconds: UInt32?
        let action: String?
        let level: Double?
        let charging: Bool?
        let text: String?
    }

    private struct Vectors: Decodable {
        let vectors: [Vector]
    }

    static let vectors: [Vector] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "ViewerPagesTests/js/frame-vectors.json")
        guard let data = try? Data(contentsOf: file) else { return [] }
        return (try? JSONDecoder().decode(Vectors.self, from: data))?.vectors ?? []
    }()

    @Test func `The vectors are there, one of each kind at least`() {
        let kinds: Set<String> = [
            "heartRate", "location", "motion", "control", "status", "marker", "source",
        ]
        #expect(Set(Self.vectors.map(\.kind)) == kinds)
    }

    @Test(arguments: vectors)
    func `The page's bytes are those of the daemon's own encoder, and are accepted`(
        vector: Vector
    ) throws {
        let frame = Frame(
            sequence: FrameSequence(rawValue: vector.sequence),
            deviceTime: Timestamp(microseconds: Int64((vector.milliseconds * 1000).rounded())),
            payload: try payload(of: vector))
        var bytes: [UInt8] = []
        BinaryFrame.encode(frame, to: &bytes)
        #expect(bytes == vector.hex)
        #expect(BinaryFrameTests.refusal(vector.hex) == nil)
        let header = try BinaryFrame.header(of: vector.hex.span)
        let decoded = try FramePayload.decode(
            header, payload: vector.hex.span.extracting(Limits.frameHeaderBytes...))
        #expect(decoded == frame)
    }

    private func payload(of vector: Vector) throws -> Frame.Payload {
        let value = vector.value
        switch vector.kind {
        case "heartRate":
            return .heartRate(
                try HeartRateSample(
                    beatsPerMinute: try #require(value.beatsPerMinute),
                    contact: value.contact.map { $0 ? .on : .off } ?? .unknown,
                    rrIntervals: value.intervals ?? []))
        case "location":
            return .location(
                try Location(
                    latitude: try #require(value.latitude),
                    longitude: try #require(value.longitude), altitude: value.altitude,
                    horizontalAccuracy: value.accuracy, verticalAccuracy: value.altitudeAccuracy,
                    speed: value.speed, course: value.heading))
        case "motion": return .motion(try motion(value))
        case "control": return .control(try #require(Self.actions[value.action ?? ""]))
        case "status":
            return .status(
                DeviceStatus(
                    batteryPercent: value.level.map { UInt8(($0 * 100).rounded()) },
                    charging: value.charging ?? false))
        case "marker": return .marker(value.text ?? "")
        default: return .source(value.text ?? "")
        }
    }

    private static let actions: [String: ControlAction] = [
        "start": .start, "sos": .sos, "cancelAlert": .cancelAlert,
    ]

    private func motion(_ value: Value) throws -> MotionBatch {
        var traits: MotionTraits = value.hasRotation == true ? .hasRotation : []
        if value.includesGravity == true { traits.insert(.includesGravity) }
        let samples = try #require(value.samples).map { axes in
            MotionSample(
                acceleration: SIMD3(Float(axes[0]), Float(axes[1]), Float(axes[2])) / 1024,
                rotation: axes.count > 3
                    ? SIMD3(Float(axes[3]), Float(axes[4]), Float(axes[5])) / 800 : .zero)
        }
        return MotionBatch(
            traits: traits, intervalMicroseconds: try #require(value.intervalMicroseconds),
            samples: samples)
    }
}
