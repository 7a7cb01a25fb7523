import FaultyDisk
import SegmentLog
import SensorModel
import Testing

@testable import Runtime

/// Tests how a request waits for the disk.
@Suite struct DurableWaitTests {
    private static let start = Timestamp(microseconds: 1_760_000_000_000_000)
    /// Longer than any test, so that a wait must end for another reason.
    private static let forEver = Duration.seconds(3600)

    private let disk = SimulatedDisk()
    private let log: SegmentLog
    private let offset: RecordOffset

    init() throws {
        log = try SegmentLog.open(
            disk: disk, configuration: LogConfiguration(reserveBytes: 1 << 16), now: Self.start)
        let payload: [UInt8] = [1, 2, 3]
        let appended = log.appendSession(
            SessionID(high: 1, low: 1 << 63), device: DeviceID(rawValue: 7),
            deviceTime: Self.start, arrivalTime: Self.start, payload: payload.span)
        offset = try #require(appended)
    }

    @Test(.timeLimit(.minutes(1)))
    func `A record is waited for until it is on disk`() async throws {
        try log.start()
        async let isDurable = log.isDurable(through: offset, within: Self.forEver)
        log.flush()
        #expect(await isDurable)
        #expect(await log.isDurable(through: offset, within: .zero))
        log.close()
    }

    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func `A disk that fails ends the wait, before it or during it`(before: Bool) async {
        disk.fail(
            SimulatedDisk.Fault(kind: .inputOutput, call: disk.calls, isForEver: true))
        if before { log.syncAppended() }
        async let isDurable = log.isDurable(through: offset, within: Self.forEver)
        if !before { log.syncAppended() }
        #expect(await !isDurable)
    }

    @Test(.timeLimit(.minutes(1)))
    func `A log that is closed ends the wait`() async {
        let beyond = RecordOffset(rawValue: offset.rawValue + 1)
        async let isDurable = log.isDurable(through: beyond, within: Self.forEver)
        log.close()
        #expect(await !isDurable)
    }

    @Test(.timeLimit(.minutes(1)))
    func `A record that nobody writes is waited for no longer than asked`() async {
        #expect(await !log.isDurable(through: offset, within: .milliseconds(10)))
        log.syncAppended()
        #expect(await log.isDurable(through: offset, within: .zero))
    }
}
