import SensorModel
import Sessions
import Testing
import WireFormat

@Suite struct SnapshotCodecTests {
    private static let time = Timestamp(microseconds: 1_763_700_000_000_000)

    private static var events: [StreamEvent] {
        let split = Split(
            unit: .kilometer, number: 1, seconds: 331.2, averageHeartRate: 139,
            elevationMeters: 3)
        var metrics = Metrics()
        metrics.distanceMeters = 1000.5
        return [
            StreamEvent(deviceTime: time, kind: .split(split)),
            StreamEvent(deviceTime: time, kind: .metrics(metrics)),
        ]
    }

    @Test func `A snapshot gives its events back in order`() throws {
        var bytes: [UInt8] = []
        SnapshotCodec.encode(Self.events, to: &bytes)
        #expect(try SnapshotCodec.decode(bytes.span) == Self.events)
    }

    @Test func `Only the newest events are kept when there are too many`() throws {
        let many = (0..<(SnapshotCodec.eventsMax + 5)).map { number in
            StreamEvent(deviceTime: Self.time, kind: .marker("\(number)"))
        }
        var bytes: [UInt8] = []
        SnapshotCodec.encode(many, to: &bytes)
        #expect(try SnapshotCodec.decode(bytes.span) == Array(many.suffix(SnapshotCodec.eventsMax)))
    }

    @Test func `Every cut of a snapshot is refused`() {
        var bytes: [UInt8] = []
        SnapshotCodec.encode(Self.events, to: &bytes)
        for length in bytes.indices {
            let cut = Array(bytes[..<length])
            #expect(throws: RecordRefusal.self) { try SnapshotCodec.decode(cut.span) }
        }
    }
}
