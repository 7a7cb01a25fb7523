import SensorModel
import Testing

@testable import WireFormat

@Suite struct SessionTickCodecTests {
    private static let ticks: [SessionTick] = [
        .silence, .ended,
        .gap(from: FrameSequence(rawValue: 7), to: FrameSequence(rawValue: .max)),
    ]

    @Test(arguments: ticks)
    func `A tick comes back as it was written`(tick: SessionTick) throws {
        var bytes: [UInt8] = []
        SessionTickCodec.encode(tick, to: &bytes)
        #expect(try SessionTickCodec.decode(bytes.span) == tick)
    }

    @Test(
        arguments: [
            ([], RecordRefusal.truncated), ([1], .truncated), ([2, 0], .unknownVersion(2)),
            ([1, 3], .unknownValue), ([1, 0, 0], .tooLong(bytes: 1)), ([1, 1, 0, 0], .truncated),
        ] as [([UInt8], RecordRefusal)])
    func `Other bytes are refused`(bytes: [UInt8], refusal: RecordRefusal) {
        #expect(throws: refusal) { try SessionTickCodec.decode(bytes.span) }
    }
}
