import Bytes
import FaultyDisk
import SegmentLog
import SensorModel
import Synchronization

/// A log on a simulated disk with the records appended to it.
struct LogFixture {
    struct Written: Hashable {
        var header: RecordHeader
        var payload: [UInt8]
    }

    static let start = Timestamp(microseconds: 1_760_000_000_000_000)
    static let runner = SessionID(high: 0x1111_2222_3333_4444, low: 0x8555_6666_7777_8888)
    static let device = DeviceID(rawValue: 7)

    var disk: SimulatedDisk
    var log: SegmentLog
    /// All accepted records by offset.
    var written: [RecordOffset: Written] = [:]
    /// Every offset ever given out, including lost ones.
    var used: Set<RecordOffset> = []
    var sequence: UInt32 = 0
    let acknowledged: Ledger

    /// The durable end that the log reported and the states it went through.
    final class Ledger: Sendable {
        let durableEnd = Atomic<UInt64>(0)
        let failures = Atomic(0)

        var observer: LogObserver {
            LogObserver(
                durableAdvanced: { self.durableEnd.max($0.rawValue, ordering: .relaxed) },
                stateChanged: { state in
                    if case .failed = state { self.failures.add(1, ordering: .relaxed) }
                })
        }
    }

    /// Restarts the daemon on the content of `disk` and keeps `written`.
    mutating func restart(on disk: SimulatedDisk, _ configuration: LogConfiguration) throws {
        self.disk = disk
        log = try SegmentLog.open(
            disk: disk, configuration: configuration, now: moment(),
            observer: acknowledged.observer)
    }

    static func configuration(
        segmentBytesMax: Int = 1 << 20, durability: LogDurability = .always
    ) -> LogConfiguration {
        LogConfiguration(
            durability: durability, segmentBytesMax: segmentBytesMax, reserveBytes: 1 << 16)
    }

    init(
        disk: SimulatedDisk = SimulatedDisk(),
        configuration: LogConfiguration = Self.configuration(), ledger: Ledger = Ledger(),
        now: Timestamp = Self.start
    ) throws(SegmentLogError) {
        self.disk = disk
        acknowledged = ledger
        log = try SegmentLog.open(
            disk: disk, configuration: configuration, now: now, observer: ledger.observer)
    }

    /// Appends the head of `session`.
    @discardableResult
    mutating func head(_ session: SessionID = runner, payload: [UInt8] = [1, 2, 3]) -> RecordOffset?
    {
        let time = moment()
        let offset = log.appendSession(
            session, device: Self.device, deviceTime: time, arrivalTime: time,
            payload: payload.span)
        note(.session, offset, session, .none, time, payload)
        return offset
    }

    @discardableResult
    mutating func append(
        _ type: RecordType = .frame(.motion), of session: SessionID = runner,
        payload: [UInt8]? = nil
    ) -> RecordOffset? {
        sequence += 1
        let time = moment()
        let payload = payload ?? Self.payload(sequence)
        let number = FrameSequence(rawValue: sequence)
        let offset = log.append(
            type, session: session, device: Self.device, sequence: number, deviceTime: time,
            arrivalTime: time,
            payload: payload.span)
        note(type, offset, session, number, time, payload)
        return offset
    }

    /// 84 bytes, the payload of a wire frame of 100; each is different.
    static func payload(_ seed: UInt32, bytes: Int = 84) -> [UInt8] {
        var payload = [UInt8](repeating: UInt8(truncatingIfNeeded: seed), count: bytes)
        for index in 0..<min(4, bytes) {
            payload[index] = UInt8(truncatingIfNeeded: seed >> (8 * UInt32(index)))
        }
        return payload
    }

    /// A segment of counted offsets as the first format has it.
    static func firstFormat(_ segment: [UInt8]) -> [UInt8] {
        var bytes = segment
        for start in [0, 64] {
            bytes[start + 8] = 1
            let checksum = SegmentLogTests.checksum(bytes[start..<(start + 60)])
            for index in 0..<4 {
                bytes[start + 60 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
            }
        }
        return bytes
    }

    func contents(
        of reader: LogReader? = nil, from: UInt64 = 0, session: SessionID? = nil
    ) throws -> (records: [Written], gaps: [LogGap]) {
        var records: [Written] = []
        var gaps: [LogGap] = []
        try (reader ?? log.reader()).read(
            from: RecordOffset(rawValue: from), session: session, gap: { gaps.append($0) }
        ) { header, payload in
            records.append(
                Written(header: header, payload: Array(copying: payload)))
            return true
        }
        return (records, gaps)
    }

    /// Offset of the record with a sequence number; 0: the first head's.
    static func offset(_ sequence: Int) -> RecordOffset {
        RecordOffset(rawValue: UInt64(moment(sequence).microseconds))
    }

    /// The first offset after that record.
    static func end(after sequence: Int) -> RecordOffset {
        RecordOffset(rawValue: offset(sequence).rawValue + 1)
    }

    var inOrder: [Written] {
        written.values.sorted { $0.header.offset < $1.header.offset }
    }

    private func moment() -> Timestamp { Self.moment(Int(sequence)) }

    private static func moment(_ sequence: Int) -> Timestamp {
        start.advanced(byMicroseconds: Int64(sequence) * 10_000)
    }

    private mutating func note(
        _ type: RecordType, _ offset: RecordOffset?, _ session: SessionID,
        _ sequence: FrameSequence, _ time: Timestamp, _ payload: [UInt8]
    ) {
        guard let offset else { return }
        // A viewer may have seen the offset in any life of the daemon.
        precondition(used.insert(offset).inserted, "an offset used twice")
        written[offset] = Written(
            header: RecordHeader(
                offset: offset, type: type, session: session, device: Self.device,
                sequence: sequence, deviceTime: time, arrivalTime: time), payload: payload)
    }
}
