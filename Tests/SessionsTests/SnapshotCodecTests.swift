import SensorModel
import Sessions
import Testing
import WireFormat

@Suite struct SnapshotCodecTests {
    private static let time = Timestamp(microseconds: 1_763_700_000_000_000)

    private static let split = StreamEvent(
        deviceTime: time,
        kind: .split(
            Split(
                unit: .kilometer, number: 1, seconds: 331.2, averageHeartRate: 139,
                elevationMeters: 3)))

    private static var newest: StreamEvent {
        var metrics = Metrics()
        metrics.distanceMeters = 1000.5
        return StreamEvent(deviceTime: time, kind: .metrics(metrics))
    }

    private static func encoded() -> [UInt8] {
        var summary = SummaryEvents()
        summary.take(split)
        var bytes: [UInt8] = []
        SnapshotCodec.encode(summary, newest: newest, to: &bytes)
        return bytes
    }

    @Test func `A snapshot gives its events back in order`() throws {
        #expect(try SnapshotCodec.decode(Self.encoded().span) == [Self.split, Self.newest])
    }

    @Test func `Every cut of a snapshot is refused`() {
        let bytes = Self.encoded()
        for length in bytes.indices {
            let cut = Array(bytes[..<length])
            #expect(throws: RecordRefusal.self) { try SnapshotCodec.decode(cut.span) }
        }
    }
}
