import FaultyDisk
import Logging
import Ring
import SegmentLog
import SensorModel
import Testing

@testable import Runtime
@testable import Sessions

@Suite struct SessionRebuilderTests {
    private static let start = Timestamp(microseconds: 1_760_000_000_000_000)
    private static let session = SessionID(high: 1, low: 2)

    @Test(.timeLimit(.minutes(1)))
    func `A session waits once for its reading, however often its settings change`() async throws {
        let log = try SegmentLog.open(
            disk: SimulatedDisk(), configuration: LogConfiguration(reserveBytes: 0),
            now: Self.start)
        let payload: [UInt8] = [1, 2, 3]
        _ = log.appendSession(
            Self.session, device: DeviceID(rawValue: 7), deviceTime: Self.start,
            arrivalTime: Self.start, payload: payload.span)
        log.syncAppended()
        // The pool has no threads, so pending work stays.
        let pool = ReadPool()
        let rebuilder = SessionRebuilder(
            log: log, mailbox: PipelineMailbox(eventCount: EventCount()), pool: pool,
            logger: Logger(label: "test"))
        for number in 1...1000 {
            rebuilder.rebuild(
                RebuildTicket(
                    session: Self.session, device: DeviceID(rawValue: 7),
                    end: log.nextOffset, number: UInt64(number), privacy: .none,
                    continuation: nil))
        }
        #expect(rebuilder.count == 1)
        while pool.waiting != 1 { try await Task.sleep(for: .milliseconds(10)) }
        rebuilder.stop(Self.session)
        #expect(rebuilder.count == 0)
        while pool.waiting != 0 { try await Task.sleep(for: .milliseconds(10)) }
        pool.stop()
    }
}
