import FaultyDisk
import SegmentLog
import SensorModel
import Sharing
import Synchronization
import Testing
import WireFormat

@testable import Sessions

/// Number of records read for a reader's request.
@Suite struct ReadOnceTests {
    /// Counts records: a reading asks before each whether it is cancelled.
    private final class Count: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .relaxed) }

        func note() -> Bool {
            count.add(1, ordering: .relaxed)
            return false
        }
    }

    private static func session(_ number: Int) -> SessionID {
        SessionID(high: 9, low: UInt64(number + 1))
    }

    /// A log of consecutive sessions with 60 markers each.
    private static func log(sessions: Int) throws -> SegmentLog {
        let log = try SegmentLog.open(
            disk: SimulatedDisk(), configuration: LogConfiguration(reserveBytes: 0),
            now: FlowFixture.start)
        for number in 0..<sessions {
            for second in 0..<60 {
                let time = FlowFixture.time(Double(number * 100 + second))
                var bytes: [UInt8] = []
                StreamEventCodec.encode(
                    StreamEvent(deviceTime: time, kind: .marker("\(second)")), to: &bytes)
                _ = log.append(
                    .event, session: session(number), device: FlowFixture.device, sequence: .none,
                    deviceTime: time, arrivalTime: time, payload: bytes.span)
            }
        }
        log.syncAppended()
        return log
    }

    @Test func `A viewer from before all sessions has each record read about once`() throws {
        let sessions = 20
        let log = try Self.log(sessions: sessions)
        let end = log.nextOffset
        let source = CatchUp.Source(
            share: FlowFixture.share(), privacy: .none,
            sessions: (0..<sessions).map(Self.session), end: end)
        var catchUp = CatchUp(
            [source], after: RecordOffset(rawValue: 0), newest: end, epoch: log.epoch,
            inGroup: false, partMax: 8)
        let count = Count()
        var told: [LogCursor] = []
        while !catchUp.isComplete {
            let part = try catchUp.nextPart(at: FlowFixture.time(5000)) { session, rule in
                log.summary(of: session).map {
                    ShownRecords(
                        $0, rule: rule, index: nil, reader: log.reader(), epoch: log.epoch,
                        isCancelled: count.note)
                }
            }
            told += part.map(\.cursor)
        }
        #expect(told.count == sessions * 60)
        #expect(told == Array(Set(told)).sorted())
        #expect(count.value < 3 * sessions * 60)
    }

    @Test func `Whether a hidden session shows anything costs its last minute with an index`()
        throws
    {
        let fixture = try FlowFixture()
        try fixture.run(seconds: 240)
        let log = fixture.flow.log
        log.syncAppended()
        let summary = try #require(log.summary(of: FlowFixture.session))
        let rule = ProjectionRule(
            PrivacySettings(
                zones: [
                    PrivacyZone(name: "all", latitude: 48, longitude: 11.5, radiusMeters: 5000)
                ], trimStartMeters: 0, trimFinishMeters: 0, salt: 1))
        let now = fixture.flow.now
        let index = try ProjectionIndex.reading(
            summary, rule: rule, reader: log.reader(), now: now)
        func cost(_ index: ProjectionIndex?) throws -> Int {
            let count = Count()
            let records = ShownRecords(
                summary, rule: rule, index: index, reader: log.reader(), epoch: log.epoch,
                isCancelled: count.note)
            #expect(try records.firstShown(arrivedBy: nil, now: now).event == nil)
            return count.value
        }
        #expect(try cost(index) < cost(nil) / 2)
    }
}
