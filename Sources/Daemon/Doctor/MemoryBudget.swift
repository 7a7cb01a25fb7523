import API
import Cluster
import Ingest
public import Runtime
import Secrets
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Transport

/// Memory that all peers together can make the daemon hold, with every limit reached at once.
///
/// One row for each kind of object that a stranger, viewer or device can cause: the maximum count
/// and the maximum size. Measured sizes are rounded up. The sum stays below ``bytesMax``, which
/// leaves room under the service's `MemoryMax`.
public struct MemoryBudget: Hashable, Sendable {
    public struct Row: Hashable, Sendable, Encodable {
        public let name: String
        public let count: Int
        public let bytesEach: Int

        public var bytes: Int { count * bytesEach }
    }

    /// Three quarters of the `MemoryMax` of systemd/pulsecast.service.
    public static let bytesMax = 1536 << 20

    public let rows: [Row]

    public var bytes: Int { rows.reduce(0) { $0 + $1.bytes } }

    public init(_ configuration: Configuration) {
        rows =
            Self.connections(configuration) + Self.sessions(configuration)
            + Self.sharing(configuration) + Self.rest(configuration)
    }

    private static func connections(_ configuration: Configuration) -> [Row] {
        let (bounds, loops) = (configuration.bounds, configuration.eventLoops)
        let hasTLS = configuration.device.tls || configuration.httpListener.tls
        let strangers = min(bounds.unauthenticatedMax, bounds.connectionsMax)
        let known = bounds.connectionsMax - strangers
        let pools = ConnectionClass.allCases.reduce(0) {
            $0 + ByteAllowance.received($1).pooledBytes + ByteAllowance.owed($1).pooledBytes
        }
        return [
            Row(
                name: "connections, idle", count: bounds.connectionsMax,
                bytesEach: (hasTLS ? 28 : 8) << 10),
            Row(
                name: "half messages and bodies of strangers, their own", count: strangers,
                bytesEach: ByteAllowance.received(.stranger).ownBytes),
            Row(
                name: "the same of devices and viewers", count: known,
                bytesEach: ByteAllowance.received(.device).ownBytes),
            Row(
                name: "what is sent and not read, each connection's own",
                count: bounds.connectionsMax, bytesEach: ByteAllowance.owed(.viewer).ownBytes),
            Row(name: "what goes beyond both, in pools", count: 1, bytesEach: pools),
            Row(
                name: "what closed connections of devices left", count: 1,
                bytesEach: ByteAllowance.leftMax),
            Row(
                name: "what is read while a write fails", count: loops,
                bytesEach: ByteAllowance.readInFlushesMax),
            Row(
                name: "rings, in and out", count: loops,
                bytesEach: LoopPart(loops: loops, ringBytes: configuration.ingest.ringBytes)
                    .ringBytes),
            // Stack, heap of its own, buffers of the library: 0.1 MiB idle, 0.4 after load.
            Row(name: "threads of the event loops", count: loops, bytesEach: 512 << 10),
        ]
    }

    private static func sessions(_ configuration: Configuration) -> [Row] {
        let ingest = IngestSettings()
        return [
            Row(
                name: "recorded sessions, in the catalog",
                count: configuration.ingest.sessionsRecordedMax,
                bytesEach: SessionCatalog.bytesEach),
            Row(
                name: "live sessions, with splits and laps", count: ingest.sessionsMax,
                bytesEach: LiveSession.bytesMax),
            Row(
                name: "frames of sessions that are read from the log", count: 1,
                bytesEach: SessionBacklog.allBytesMax),
            Row(
                name: "readings of them that wait", count: ingest.sessionsMax, bytesEach: 1 << 10),
            Row(
                name: "courses of devices", count: 1, bytesEach: Accounts.courseBytesMax),
            Row(
                name: "views that hide something, and what they hold back", count: 1,
                bytesEach: SessionViews.hidingBytesMax),
            Row(name: "frames behind a hole", count: 1, bytesEach: ingest.heldBytesTotalMax),
            Row(
                name: "records that wait for the disk", count: 1,
                bytesEach: LogConfiguration().pendingBytesMax),
        ]
    }

    private static func sharing(_ configuration: Configuration) -> [Row] {
        [
            Row(name: "updates held back by delays", count: HeldUpdates.allMax, bytesEach: 1 << 10),
            // Stored as one message for a share and one for a group.
            Row(
                name: "events for viewers that do not keep up", count: 1,
                bytesEach: 2 * FeedTable.eventBytesMax),
            Row(
                name: "recordings that viewers and owners play", count: 1,
                bytesEach: PlaybackBudget.bytesMax),
            Row(
                name: "heart-rate histories told as streams", count: HistoryReaders.countMax,
                bytesEach: HistoryReaders.bytesEach),
            Row(
                name: "heart rates that other programs follow", count: ReaderPlaces.placesMax,
                bytesEach: 4 << 10),
        ]
    }

    private static func rest(_ configuration: Configuration) -> [Row] {
        changes(configuration) + [
            Row(name: "program, libraries, registry", count: 1, bytesEach: 64 << 20),
            Row(name: "readers of the log, at work", count: 4, bytesEach: 8 << 20),
            Row(name: "readings that wait, with what they ask", count: 256, bytesEach: 8 << 10),
            Row(
                name: "exports, being read and sent", count: 1, bytesEach: ExportBudget.bytesMax),
            Row(name: "indexes of recordings", count: 1, bytesEach: ProjectionIndexes.bytesMax),
            Row(name: "overviews of sessions", count: 1, bytesEach: Overviews.bytesMax),
            // Two generations; an entry is an address and up to 30 moments.
            Row(name: "limiters of addresses", count: 5 * 2 * 16_384, bytesEach: 256),
            // Two lengths of IPv6 networks, two generations; an entry is up to 80 moments.
            Row(name: "limiters of networks", count: 2 * 2 * 2048, bytesEach: 768),
            Row(
                name: "limiters of changes, deletions and joins by devices",
                count: 4 * DeviceLimiter.momentsMax,
                bytesEach: 8),
            Row(
                name: "messages to the webhook", count: WaitingWebhooks.countMax,
                bytesEach: 1 << 10),
            Row(
                name: "runs that wait to be delivered", count: DeliveryQueue.countMax,
                bytesEach: 512),
            Row(
                name: "answers of the servers that they go to", count: DeliveryQueue.runningMax,
                bytesEach: DeliverySender.answerBytesMax),
            Row(
                name: "alerts that receivers are told of", count: AlertCases.countMax,
                bytesEach: 1 << 10),
            Row(
                name: "runs that are watched for them", count: RunWatch.countMax, bytesEach: 256),
            Row(
                name: "bodies of devices' requests, until they are answered", count: 1,
                bytesEach: DeviceRequests.bytesMax(
                    bodyBytesMax: configuration.bounds.bodyBytesMax)),
            Row(
                name: "pushed frames on their way", count: 1,
                bytesEach: PushRoom.bytesMax(bodyBytesMax: configuration.bounds.bodyBytesMax)),
            Row(
                name: "positions from an MQTT broker that wait", count: 1,
                bytesEach: MQTTService.bytesMax),
        ]
    }

    /// What a leader of a cluster holds until the stream has it. The log bounds what it appends
    /// before a sync, and each sync waits for the stream.
    private static func changes(_ configuration: Configuration) -> [Row] {
        guard !configuration.cluster.urls.isEmpty else { return [] }
        return [
            Row(
                name: "changes that the cluster's stream does not have", count: 1,
                bytesEach: LogConfiguration().pendingBytesMax + 2 * ClusterLimits.messageBytesMax)
        ]
    }
}
