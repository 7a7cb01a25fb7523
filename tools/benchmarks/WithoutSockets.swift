import Glibc
import Ingest
import Peers
import Processing
import SegmentLog
import SensorModel
import Sessions
import Sharing
import WireFormat

/// The daemon's own work for more devices and viewers than a machine has descriptors for: the flow
/// from a frame to the shares' views, and the decision for each viewer, with nobody's socket.
enum WithoutSockets {
    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)

    static func contests(in folder: String) -> [Contest] {
        [100, 1000, 10_000].map { devices in
            Contest(
                name: "frame, device to share, \(devices) devices", unit: "µs CPU",
                contenders: [
                    .init(name: "pulsecast", run: { frameMicroseconds(devices, in: folder) }),
                    .init(name: "10 devices", run: { frameMicroseconds(10, in: folder) }),
                ], bar: .none)
        }
            + [1000, 10_000, 50_000].map { viewers in
                Contest(
                    name: "decision for a viewer, \(viewers) viewers", unit: "ns CPU",
                    contenders: [
                        .init(name: "pulsecast", run: { viewerNanoseconds(viewers) }),
                        .init(name: "100 viewers", run: { viewerNanoseconds(100) }),
                    ], bar: .none)
            }
    }

    // MARK: Devices

    /// Each device sends a heart rate a second to a share that is watched; the log is on the disk.
    private static func frameMicroseconds(_ devices: Int, in folder: String) -> Double? {
        ScratchFolder.with("flow", in: folder) { frameMicroseconds(devices, at: $0) }
    }

    private static func frameMicroseconds(_ devices: Int, at path: String) -> Double? {
        guard
            let log = try? SegmentLog.open(
                disk: PosixDisk(path: path), configuration: LogConfiguration(durability: .os),
                now: start),
            (try? log.start()) != nil
        else { return nil }
        defer { log.close() }
        var shown = 0
        let flow = SessionFlow(
            log: log, ingest: IngestSettings(), silenceSeconds: 60,
            callbacks: FlowCallbacks(
                profile: { _, _ in RunnerProfile() }, privacy: { _ in .none },
                show: { _, _, _ in shown += 1 }, rebuild: { _ in },
                complain: { preconditionFailure($0) }),
            counters: FlowCounters(), now: start)
        for number in 1...UInt64(devices) { begin(number, on: flow) }
        // A second of each that is not counted: sessions begin in it.
        send(1...1, devices, to: flow)
        let seconds = max(2, 20_000 / devices)
        let began = peers_thread_seconds()
        send(2...UInt32(seconds), devices, to: flow)
        let used = peers_thread_seconds() - began
        precondition(shown >= devices, "a share was shown nothing")
        return used * 1e6 / Double(devices * (seconds - 1))
    }

    private static func session(_ number: UInt64) -> SessionID {
        SessionID(high: 1, low: number)
    }

    private static func begin(_ number: UInt64, on flow: SessionFlow) {
        let device = DeviceID(rawValue: UInt32(number))
        let share = Share(
            key: ShareKey(rawValue: UInt32(number)), name: "share", idHash: .zero,
            target: .device(device), scope: .all, delaySeconds: 0, expiresAt: nil,
            createdAt: start)
        flow.hub.put(share)
        _ = flow.hub.join(share.key, loop: 0, cursor: flow.cursor, at: start)
        _ = flow.open(
            ConnectionID(rawValue: number), device: device, session: session(number),
            recorded: false, arrival: start)
    }

    /// A turn for each frame, as the daemon takes them where they are few.
    private static func send(
        _ seconds: ClosedRange<UInt32>, _ devices: Int, to flow: SessionFlow
    ) {
        var bytes: [UInt8] = []
        for second in seconds {
            guard let rate = try? HeartRateSample(beatsPerMinute: 100 + Double(second % 50)) else {
                return
            }
            for number in 1...devices {
                let offset = Double(number) / Double(devices + 1)
                let time = start.advanced(bySeconds: Double(second) + offset)
                bytes.removeAll(keepingCapacity: true)
                BinaryFrame.encode(
                    Frame(
                        sequence: FrameSequence(rawValue: second), deviceTime: time,
                        payload: .heartRate(rate)), to: &bytes)
                guard let header = try? BinaryFrame.header(of: bytes.span) else { return }
                flow.advance(to: time)
                while !flow.log.hasRoom { usleep(100) }
                flow.receive(
                    header, payload: bytes.span.extracting(Limits.frameHeaderBytes...),
                    from: ConnectionID(rawValue: UInt64(number)), arrival: time)
                flow.acknowledge { consume($0) }
                flow.log.flush()
            }
        }
    }

    // MARK: Viewers

    /// Events of one share, each owed to every viewer.
    private static func viewerNanoseconds(_ viewers: Int) -> Double? {
        let feeds = FeedTable()
        let share = FeedKey(ShareKey(rawValue: 1))
        func cursor(_ number: Int) -> LogCursor {
            LogCursor(epoch: 1, offset: RecordOffset(rawValue: UInt64(number)))
        }
        let feed = feeds.open(
            share, runnerName: "Ada", snapshot: .waiting(cursor: cursor(1), time: start))
        var owed: [EncodedMessage] = []
        var queues = (0..<viewers).map { _ in DeliveryState(rateHz: 1) }
        for index in queues.indices { queues[index].begin([feed], at: 0, into: &owed) }
        let watched = [feed]
        let events = max(4, 2_000_000 / viewers)
        let began = peers_thread_seconds()
        var written = 0
        for number in 1...events {
            feeds.apply(
                FeedUpdate(
                    cursor: cursor(number + 1), time: start, changed: [],
                    event: Array(#"{"type":"event","event":"marker","text":"\#(number)"}"#.utf8)),
                to: share)
            for index in queues.indices {
                owed.removeAll(keepingCapacity: true)
                _ = queues[index].flush(watched, at: UInt64(number) * 1_000_000, into: &owed)
                written += owed.count
            }
        }
        let used = peers_thread_seconds() - began
        precondition(written == events * viewers, "a viewer was told nothing")
        return used * 1e9 / Double(written)
    }
}
