import SensorModel
import Testing
import WireFormat

@Suite struct BinaryFrameTests {
    static let time = Timestamp(microseconds: 1_763_700_000_123_456)
    static let arrival = Timestamp(microseconds: 1_763_700_001_000_000)

    /// A wire frame of raw parts.
    static func wire(
        kind: UInt8, flags: UInt8 = 0, sequence: UInt32 = 7, time: Timestamp = time,
        _ payload: [UInt8]
    ) -> [UInt8] {
        let length = UInt16(14 + payload.count)
        var bytes = [UInt8(length & 255), UInt8(length >> 8), kind, flags]
        for shift in stride(from: 0, to: 32, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: sequence >> UInt32(shift)))
        }
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: time.microseconds >> Int64(shift)))
        }
        return bytes + payload
    }

    /// The refusal of a frame; `nil` when it is accepted.
    static func refusal(
        _ bytes: [UInt8], arrival: Timestamp = arrival, recorded: Bool = false
    ) -> FrameRefusal? {
        do {
            let header = try BinaryFrame.header(of: bytes.span)
            do {
                try FrameValidation.check(
                    header, payload: bytes.span.extracting(16..<bytes.count),
                    arrivalTime: arrival, recorded: recorded)
                // A frame that passes validation decodes.
                _ = try FramePayload.decode(
                    header, payload: bytes.span.extracting(16..<bytes.count))
                return nil
            } catch { return error }
        } catch { return error.refusal }
    }

    static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<(value.bitWidth / 8)).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    static func location(
        _ latitude: Int32 = 481_000_000, _ longitude: Int32 = 115_000_000,
        _ altitude: Int32 = 51_000
    ) -> [UInt8] {
        little(latitude) + little(longitude) + little(altitude) + little(UInt16(41))
            + little(UInt16(65535)) + little(Int16(305)) + little(UInt16(18_712))
    }

    static func motion(
        count: UInt8 = 2, flags: UInt8 = 1, spare: UInt16 = 0, interval: UInt32 = 20_000,
        axes: [Int16] = [0, 1024, -1024, 0, 800, -800, 32767, -32768, 0, 32000, -32000, 0]
    ) -> [UInt8] {
        [count, flags] + little(spare) + little(interval) + axes.flatMap { little($0) }
    }

    private static let ends: (pressure: [UInt8], nan: [UInt8], infinity: [UInt8], low: [UInt8]) = (
        little((1013.25 as Float).bitPattern), little(Float.nan.bitPattern),
        little((-Float.infinity).bitPattern), little((299.9 as Float).bitPattern)
    )

    static let good: [(kind: UInt8, payload: [UInt8])] = [
        (0x02, [0xF0, 0x05, 2, 0]), (0x02, [200, 0, 0, 0]), (0x02, [0xC4, 0x09, 1, 1, 0xFF, 0xFF]),
        (0x03, motion()), (0x03, motion(count: 4, flags: 0)),
        (0x04, location()), (0x04, location(-900_000_000, 1_800_000_000, -50_000)),
        (0x04, location(900_000_000, -1_800_000_000, 900_000)), (0x04, location(0, 0, .min)),
        (0x05, [1]), (0x05, [7]), (0x06, ends.pressure),
        (0x07, [0, 0]), (0x07, [100, 1]), (0x07, [255, 0]), (0x08, Array("Hügel 🏃".utf8)),
        (0x08, [UInt8](repeating: 65, count: 120)), (0x09, Array("chest strap".utf8)),
    ]

    @Test(arguments: good)
    func `A good frame is accepted`(kind: UInt8, payload: [UInt8]) {
        #expect(Self.refusal(Self.wire(kind: kind, payload)) == nil)
    }

    static let bad: [(kind: UInt8, payload: [UInt8], code: String)] = [
        (0x00, [], "unknown_kind"), (0x13, motion(), "unknown_kind"), (0x82, [], "unknown_kind"),
        (0xFF, [1], "unknown_kind"),
        (0x02, [199, 0, 0, 0], "heart_rate_out_of_range"),
        (0x02, [0xC5, 0x09, 0, 0], "heart_rate_out_of_range"),
        (0x02, [0xF0, 5, 3, 0], "contact_unknown"), (0x02, [0xF0, 5, 0], "payload_size"),
        (0x02, [0xF0, 5, 0, 1], "payload_size"), (0x02, [0xF0, 5, 0, 0, 1], "payload_size"),
        (0x02, [], "payload_size"),
        (0x03, [], "payload_size"), (0x03, motion(count: 0), "motion_count"),
        (0x03, motion(count: 101), "motion_count"), (0x03, motion(count: 3), "payload_size"),
        (0x03, motion(flags: 0), "payload_size"), (0x03, motion(flags: 5), "reserved_not_zero"),
        (0x03, motion(spare: 1), "reserved_not_zero"),
        (0x03, motion(count: 1, axes: [0, 0, 0, 32001, 0, 0]), "rotation_out_of_range"),
        (0x03, motion(count: 1, axes: [0, 0, 0, 0, 0, -32001]), "rotation_out_of_range"),
        (0x03, motion(interval: 4_000_000_000), "motion_duration"),
        (0x03, motion(interval: 600_000_000), "accepted"),
        (0x04, location(900_000_001), "latitude_out_of_range"),
        (0x04, location(0, -1_800_000_001), "longitude_out_of_range"),
        (0x04, location(0, 0, -50_001), "altitude_out_of_range"),
        (0x04, location(0, 0, 900_001), "altitude_out_of_range"),
        (0x04, Array(location().dropLast()), "payload_size"),
        (0x04, location() + [0], "payload_size"),
        (0x05, [0], "control_unknown"), (0x05, [8], "control_unknown"), (0x05, [], "payload_size"),
        (0x06, ends.nan, "not_finite"),
        (0x06, ends.infinity, "not_finite"),
        (0x06, ends.low, "pressure_out_of_range"),
        (0x06, [0, 0], "payload_size"),
        (0x07, [101, 0], "battery_out_of_range"), (0x07, [50, 2], "reserved_not_zero"),
        (0x07, [50], "payload_size"),
        (0x08, [], "empty_text"), (0x08, [UInt8](repeating: 65, count: 121), "text_too_long"),
        (0x08, [0xC0, 0x80], "not_utf8"), (0x08, [0xED, 0xA0, 0x80], "not_utf8"),
        (0x08, [0xF4, 0x90, 0x80, 0x80], "not_utf8"), (0x08, [0xE2, 0x82], "not_utf8"),
        (0x09, [UInt8](repeating: 65, count: 33), "text_too_long"),
    ]

    @Test(arguments: bad)
    func `A bad frame is refused and the connection stays`(
        kind: UInt8, payload: [UInt8], code: String
    ) {
        let refusal = Self.refusal(Self.wire(kind: kind, payload))
        #expect((refusal?.code ?? "accepted") == code)
        #expect(refusal?.closes == nil)
        #expect(refusal?.description.isEmpty != true)
    }

    @Test func `A refused frame says its number`() {
        let frame = Self.wire(kind: 0x55, sequence: 99, [])
        #expect(throws: RefusedFrame(refusal: .unknownKind(0x55), sequence: .init(rawValue: 99))) {
            try BinaryFrame.header(of: frame.span)
        }
        let flagged = Self.wire(kind: 5, flags: 1, sequence: 98, [1])
        #expect(
            throws: RefusedFrame(refusal: .reservedNotZero, sequence: .init(rawValue: 98))
        ) { try BinaryFrame.header(of: flagged.span) }
    }

    static let times: [(microseconds: Int64, recorded: Bool, isRefused: Bool)] = [
        (946_684_799_999_999, false, true), (946_684_800_000_000, false, false),
        (1_763_700_001_000_000 + 86_400_000_000, false, false),
        (1_763_700_001_000_001 + 86_400_000_000, false, true),
        (1_763_700_001_000_001 + 86_400_000_000, true, false), (Int64.max, false, true),
        (Int64.max, true, true), (Int64.min, true, true), (0, true, true),
    ]

    @Test(arguments: times)
    func `Device time lies between 2000 and a day after arrival`(
        microseconds: Int64, recorded: Bool, isRefused: Bool
    ) {
        let frame = Self.wire(kind: 5, time: Timestamp(microseconds: microseconds), [1])
        #expect(
            Self.refusal(frame, recorded: recorded)
                == (isRefused ? .value(.deviceTimeOutOfRange) : nil))
    }

    @Test func `The last sample of a batch is bound as the first`() {
        let late = Timestamp(microseconds: 1_763_700_001_000_000 + 86_400_000_000 - 10_000)
        let frame = Self.wire(kind: 3, time: late, Self.motion())
        #expect(Self.refusal(frame) == .value(.deviceTimeOutOfRange))
    }

    @Test(arguments: [0, 13, 4095, 65535])
    func `A length that cannot be closes the connection`(length: UInt16) {
        let bytes = Self.little(length)
        #expect(throws: FrameRefusal.lengthOutOfRange(bytes: Int(length))) {
            try BinaryFrame.byteCount(at: bytes.span)
        }
        #expect(FrameRefusal.lengthOutOfRange(bytes: Int(length)).closes == .notAFrame)
        #expect(FrameRefusal.lineTooLong.closes == .messageTooLarge)
    }

    @Test func `A length needs both its bytes`() throws {
        let bytes: [UInt8] = [14, 0]
        #expect(try BinaryFrame.byteCount(at: bytes.span) == 16)
        #expect(try BinaryFrame.byteCount(at: bytes.span.extracting(0..<1)) == nil)
        #expect(try BinaryFrame.byteCount(at: bytes.span.extracting(0..<0)) == nil)
    }
}
