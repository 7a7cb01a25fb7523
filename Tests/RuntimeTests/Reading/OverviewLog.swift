import FaultyDisk
import Foundation
import Logging
import Ring
import SensorModel
import Sessions
import Sharing
import Simulator
import Synchronization
import Testing
import Transport
import WireFormat

@testable import Runtime
@testable import SegmentLog

/// A log of several runners at the same time, and a reader of it whose clock a test sets.
final class OverviewLog: Sendable {
    static let start = Timestamp(microseconds: 1_763_700_000_250_000)

    let log: SegmentLog
    let reader: ShareReader
    private let clock = Clock()

    private final class Clock: Sendable {
        let now = Mutex(OverviewLog.start)
    }

    init(segmentBytesMax: Int = 48 << 10) throws {
        log = try SegmentLog.open(
            disk: SimulatedDisk(),
            configuration: LogConfiguration(segmentBytesMax: segmentBytesMax, reserveBytes: 0),
            now: Self.start)
        reader = Self.reader(of: log) { [clock] in clock.now.withLock { $0 } }
    }

    private init(_ log: SegmentLog, at time: Timestamp) {
        self.log = log
        reader = Self.reader(of: log) { time }
    }

    /// A reader that has read nothing yet.
    func cold() -> OverviewLog { OverviewLog(log, at: clock.now.withLock { $0 }) }

    private static func reader(
        of log: SegmentLog, clock: @escaping @Sendable () -> Timestamp
    ) -> ShareReader {
        ShareReader(
            log: log, catalog: SessionCatalog(log: log), pool: ReadPool(),
            mailbox: PipelineMailbox(eventCount: EventCount()), clock: clock, silenceSeconds: 600,
            logger: Logger(label: "test"))
    }

    static func time(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

    /// Sets the clock, and makes the records readable.
    func set(_ seconds: Double) {
        log.syncAppended()
        reader.catalog.reload()
        clock.now.withLock { $0 = Self.time(seconds) }
    }

    static func session(_ device: UInt32) -> SessionID { SessionID(high: 7, low: UInt64(device)) }

    func begin(_ device: UInt32, at time: Timestamp) {
        var bytes: [UInt8] = []
        let head = SessionHead(
            session: Self.session(device), device: DeviceID(rawValue: device), arrivalTime: time,
            recorded: false, profile: RunnerProfile(), algorithmVersion: 1)
        SessionHeadCodec.encode(head, to: &bytes)
        _ = log.append(
            .session, session: head.session, device: head.device, sequence: .none,
            deviceTime: time, arrivalTime: time, payload: bytes.span)
    }

    func append(_ event: StreamEvent, of device: UInt32, arrival: Timestamp) {
        var bytes: [UInt8] = []
        StreamEventCodec.encode(event, to: &bytes)
        var isMetrics = false
        if case .metrics = event.kind { isMetrics = true }
        _ = log.append(
            isMetrics ? .metric : .event, session: Self.session(device),
            device: DeviceID(rawValue: device), sequence: .none, deviceTime: event.deviceTime,
            arrivalTime: arrival, payload: bytes.span)
    }

    func source(_ share: Share, _ privacy: PrivacySettings) -> CatchUp.Source {
        CatchUp.Source(
            share: share, privacy: privacy,
            sessions: share.device.map { [Self.session($0.rawValue)] } ?? [],
            end: log.nextOffset)
    }

    /// Key of what a share shows of its device's session.
    func key(of share: Share) throws -> Overviews.Key {
        try #require(reader.overviewKey(of: source(share, .none))).key
    }

    // MARK: What readers get

    typealias Object = [String: Any]

    func overview(
        of sources: [CatchUp.Source], wanted: Int = 0, points: Int = 1024
    ) throws -> Object {
        let request = ShareReader.OverviewRequest(
            sources: sources, wanted: wanted, points: points, parts: .all, inGroup: false,
            isCompressed: false)
        let bytes = try reader.overview(request, compress: { $0 }, ReadPool.Ticket())
        let object = try JSONSerialization.jsonObject(with: Data(bytes))
        return object as? Object ?? [:]
    }

    /// All pages of a share's history.
    func history(of source: CatchUp.Source) throws -> [Object] {
        var items: [Object] = []
        var after: RecordOffset?
        while true {
            let page = try reader.page(
                of: source, after: after, limit: 300, inGroup: false, ReadPool.Ticket())
            items += try page.items.compactMap {
                try JSONSerialization.jsonObject(with: Data($0.json)) as? Object
            }
            after = page.items.last?.cursor.offset
            if !page.more { return items }
        }
    }
}
