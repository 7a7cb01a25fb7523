import FaultyDisk
import Ingest
import Processing
import Replay
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Testing
import WireFormat

/// A flow on a simulated disk with one watch that sends heart rates, and the flow's output.
final class FlowFixture {
    /// The callbacks' inputs and recorded calls.
    final class Said {
        var rebuilds: [RebuildTicket] = []
        var shown: [FeedUpdate] = []
        /// The share of each.
        var shares: [ShareKey] = []
        var sentences: [String] = []
        var disconnect: [ConnectionID] = []
        /// The owner's privacy settings.
        var privacy = PrivacySettings.none
        /// Sessions that the log has recorded.
        var recorded = SessionQuota.Count(own: 0, all: 0)
        /// The course to follow.
        var route: CourseRoute?
        /// Sessions whose reading was stopped.
        var stopped: [SessionID] = []
    }

    static let start = Timestamp(microseconds: 1_760_000_000_000_000)
    static let session = SessionID(high: 1, low: 2)
    static let device = DeviceID(rawValue: 1)
    static let connection = ConnectionID(rawValue: 1)

    let disk = SimulatedDisk()
    let said = Said()
    let flow: SessionFlow
    /// Seconds by which the daemon's clock is ahead of the watch's.
    var clockOffset = 0.0
    /// Seconds by which the watch's clock was changed.
    var deviceOffset = 0.0
    private var number: UInt32 = 0

    init(
        hidingBytesMax: Int? = nil, sessionBytesMax: Int? = nil,
        segmentBytesMax: Int = LogConfiguration().segmentBytesMax,
        pendingBytesMax: Int = LogConfiguration().pendingBytesMax,
        deviceMebibytesPerDay: Int = IngestSettings().deviceMebibytesPerDay
    ) throws {
        var ingest = IngestSettings()
        ingest.deviceMebibytesPerDay = deviceMebibytesPerDay
        let log = try SegmentLog.open(
            disk: disk,
            configuration: LogConfiguration(
                segmentBytesMax: segmentBytesMax, pendingBytesMax: pendingBytesMax,
                reserveBytes: 0),
            now: Self.start)
        let said = said
        flow = SessionFlow(
            log: log, ingest: ingest, silenceSeconds: 60,
            callbacks: FlowCallbacks(
                profile: { _, _ in RunnerProfile() }, course: { _ in said.route },
                privacy: { _ in said.privacy }, recorded: { _ in said.recorded },
                show: { _, share, message in
                    guard case .update(let update) = message else { return }
                    said.shown.append(update)
                    said.shares.append(share)
                },
                rebuild: { said.rebuilds.append($0) },
                stopRebuilding: { said.stopped.append($0) },
                disconnect: { said.disconnect.append($0) },
                complain: { said.sentences.append($0) }),
            counters: FlowCounters(), hidingBytesMax: hidingBytesMax,
            sessionBytesMax: sessionBytesMax, now: Self.start)
        _ = flow.open(
            Self.connection, device: Self.device, session: Self.session, recorded: false,
            arrival: Self.start)
    }

    var live: LiveSession? { flow.sessions[Self.session] }

    static func time(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

    static func share(delaySeconds: Int = 0, expiresAt: Timestamp? = nil) -> Share {
        Share(
            key: ShareKey(rawValue: 1), name: "share", idHash: .zero, target: .device(device),
            scope: .all, delaySeconds: delaySeconds, expiresAt: expiresAt, createdAt: start)
    }

    /// Adds a share with a viewer.
    func addWatchedShare(delaySeconds: Int, expiresAt: Timestamp? = nil) throws {
        let share = Self.share(delaySeconds: delaySeconds, expiresAt: expiresAt)
        flow.hub.put(share)
        _ = try #require(flow.hub.join(share.key, loop: 0, cursor: flow.cursor, at: flow.now))
    }

    /// Sends one heart rate or marker a second, continuing from the last call. Frames are processed
    /// as they arrive, unless `now` says when.
    func send(
        _ count: Int, _ payload: Frame.Payload? = nil, processedAt now: Timestamp? = nil
    ) throws {
        for _ in 0..<count {
            number += 1
            let beats = try HeartRateSample(beatsPerMinute: 100 + Double(number % 50))
            let frame = Frame(
                sequence: FrameSequence(rawValue: number),
                deviceTime: Self.time(Double(number) + deviceOffset),
                payload: payload ?? .heartRate(beats))
            var bytes: [UInt8] = []
            BinaryFrame.encode(frame, to: &bytes)
            let header = try BinaryFrame.header(of: bytes.span)
            let arrival = Self.time(Double(number) + clockOffset)
            flow.advance(to: now ?? arrival)
            flow.receive(
                header, payload: bytes.span.extracting(Limits.frameHeaderBytes...),
                from: Self.connection, arrival: arrival)
        }
    }

    /// Runs north with a position a second, 10 m apart; every tenth second has a marker instead.
    func run(seconds: Int) throws {
        for _ in 0..<seconds {
            guard number % 10 != 9 else {
                try send(1, .marker("\(number)"))
                continue
            }
            let location = try Location(
                latitude: 48 + Double(number) * 10 / 111_195, longitude: 11.5, altitude: nil,
                horizontalAccuracy: 4, verticalAccuracy: nil, speed: 10, course: 0)
            try send(1, .location(location))
        }
    }

    /// Reads the session back as the daemon does on a background thread.
    func readBack(
        _ rebuilding: RebuildTicket
    ) throws -> RebuildTicket.Part {
        try #require(try rebuilding.run(flow.log.reader(), epoch: flow.log.epoch))
    }

    func resume(_ rebuilding: RebuildTicket) throws {
        flow.resume(rebuilding, with: try readBack(rebuilding))
    }

    /// Whether replaying the log gives the recorded events.
    func replays() throws -> Bool {
        flow.log.syncAppended()
        let found = try ReplayVerification.run(Self.session, reader: flow.log.reader())
        return found.differenceCount == 0 && found.unrecorded == 0
    }
}
