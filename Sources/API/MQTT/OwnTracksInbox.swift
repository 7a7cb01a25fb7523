import Logging
import MQTT
import PushFormats
import Registry
import Runtime
import SensorModel
import Synchronization
import Transport

/// Takes positions of OwnTracks from the broker, and records each as if its device had pushed it by
/// HTTP. Each topic has its own queue, so that one that floods holds up no other.
///
///     thread mqtt ──take──▶ queue of the topic ──▶ PushRoutes.record
final class OwnTracksInbox: Sendable {
    private struct Lane: Sendable {
        let source: OwnTracksSource
        let queue: AsyncStream<[UInt8]>.Continuation
        /// Bytes of the queue, and of the message that is being recorded.
        var bytes = 0
    }

    private struct State: Sendable {
        var lanes: [String: Lane] = [:]
        var work: [Task<Void, Never>] = []
        var dropped = 0
        var complainedAt: Timestamp?
    }

    /// Messages of a topic that wait: an hour of positions, one in ten seconds.
    private static let messagesMax = 360
    static let laneBytesMax = 128 << 10
    /// A message in memory takes this more than its payload.
    private static let messageBytes = 64
    /// Memory of all topics, for the budget.
    package static let bytesMax = MQTTTopics.ownTracksMax * laneBytesMax
    private static let complaintSeconds = 60.0
    private static let retrySeconds = 5.0

    private let routes: PushRoutes
    private let logger: Logger
    private let state = Mutex(State())

    init(_ sources: [OwnTracksSource], routes: PushRoutes, logger: Logger) {
        self.routes = routes
        self.logger = logger
        for source in sources {
            let (messages, queue) = AsyncStream.makeStream(
                of: [UInt8].self, bufferingPolicy: .bufferingOldest(Self.messagesMax))
            let task = Task { [weak self] in
                for await message in messages { await self?.record(message, of: source) }
            }
            state.withLock { state in
                state.lanes[source.topic] = Lane(source: source, queue: queue)
                state.work.append(task)
            }
        }
    }

    func stop() {
        state.withLock { state in
            for lane in state.lanes.values { lane.queue.finish() }
            for task in state.work { task.cancel() }
        }
    }

    /// Takes a message; thread `mqtt`. It never blocks.
    ///
    /// - Returns: Whether the topic is one of OwnTracks.
    func take(_ message: BrokerMessage) -> Bool {
        guard let source = state.withLock({ $0.lanes[message.topic]?.source }) else { return false }
        // The broker kept it from before: it says where the phone was, not that a run begins.
        guard !message.isRetained else { return true }
        guard message.payload.count <= BrokerClient.messageBytesMax else {
            drop(of: source, "longer than \(BrokerClient.messageBytesMax) bytes")
            return true
        }
        let bytes = message.payload.count + Self.messageBytes
        let isTaken = state.withLock { state -> Bool in
            guard let lane = state.lanes[message.topic], lane.bytes + bytes <= Self.laneBytesMax,
                case .enqueued = lane.queue.yield(message.payload)
            else { return false }
            state.lanes[message.topic]?.bytes += bytes
            return true
        }
        if !isTaken { drop(of: source, "more than are recorded in time") }
        return true
    }

    private func record(_ message: [UInt8], of source: OwnTracksSource) async {
        defer {
            let bytes = message.count + Self.messageBytes
            state.withLock { $0.lanes[source.topic]?.bytes -= bytes }
        }
        while !Task.isCancelled {
            guard let device = routes.accounts.device(named: source.device), !device.isRevoked
            else { return drop(of: source, "the device is not there, or revoked") }
            let request = PushRequest(
                contentType: "application/json", body: message, arrivalTime: routes.clock())
            let status = await routes.record(request, from: device.id, as: .owntracks).status
            // The log cannot be written now. The phone does not hear of it, so it is tried again.
            guard status == 503 else {
                if status >= 400 { drop(of: source, "refused with status \(status)") }
                return
            }
            // Cancellation ends the sleep early, as intended.
            try? await Task.sleep(for: .seconds(Self.retrySeconds))
        }
    }

    /// Counts a message that is not recorded; the journal says so once a minute at most.
    private func drop(of source: OwnTracksSource, _ reason: String) {
        let now = routes.clock()
        routes.service.counters.refused("dropped over MQTT")
        let count = state.withLock { state -> Int? in
            state.dropped += 1
            if let last = state.complainedAt, abs(now.seconds(since: last)) < Self.complaintSeconds
            {
                return nil
            }
            state.complainedAt = now
            defer { state.dropped = 0 }
            return state.dropped
        }
        guard let count else { return }
        logger.warning(
            "messages of OwnTracks over MQTT are not recorded, the last one: \(reason)",
            metadata: ["count": "\(count)", "device": "\(source.device)"])
    }
}
