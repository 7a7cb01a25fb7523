import Ingest
import PushFormats
import Ring
import Runtime
import SegmentLog
import SensorModel
import Sessions
import Transport
import WireFormat

/// The connection of one pushed recording to the pipeline, for as long as the recording lasts.
actor PushQueue {
    /// Result of a request's frames.
    enum Outcome: Hashable, Sendable {
        /// The frames are on disk, or on their way there if the configured durability allows that.
        case recorded
        /// The session was deleted, or belongs to another line: the caller opens a new one.
        case gone
        /// The log cannot be written now: the application should send again.
        case notDurable
    }

    /// Longest wait for the disk before the application gets its answer.
    private static let durableWithin = Duration.seconds(5)

    let session: SessionID
    private let pipeline: Pipeline
    private let isDurable: Bool
    /// Whether its frames may have any device time.
    private let isRecorded: Bool
    private let connection: Task<PushConnection, Never>
    private var memory = PushMemory()
    /// Puts the last request's frames into the ring, after those of earlier requests. A repeated
    /// request has nothing to send, but its answer depends on the frames of the first one.
    private var sending: Task<Void, Never>?
    private let counters: PushCounters

    init(
        session: SessionID, device: DeviceID, pipeline: Pipeline, isDurable: Bool,
        isRecorded: Bool = false, counters: PushCounters
    ) {
        self.session = session
        self.pipeline = pipeline
        self.isDurable = isDurable
        self.isRecorded = isRecorded
        self.counters = counters
        let loops = pipeline.loops
        connection = Task {
            await loops.openPushConnection(device: device, session: session, recorded: isRecorded)
        }
    }

    /// - Parameters:
    ///   - frames: Frames of one request, in order of time.
    ///   - now: Arrival clock.
    /// - Returns: The outcome, once the log has the frames.
    func send(_ frames: [Frame], at now: Timestamp) async -> Outcome {
        let pushed = encode(memory.fresh(frames), at: now)
        let (earlier, connection) = (sending, connection)
        let sending = Task {
            await earlier?.value
            if !pushed.isEmpty { await connection.value.send(pushed) }
        }
        self.sending = sending
        await sending.value
        return await awaitIngest(on: connection.value.connection)
    }

    func close() async {
        // Frames of an unfinished request go first; otherwise they would belong to no session.
        await sending?.value
        await connection.value.close()
    }

    private func encode(_ frames: [Frame], at now: Timestamp) -> [PushedFrame] {
        frames.compactMap { frame in
            var payload: [UInt8] = []
            let kind = FramePayload.encode(frame.payload, to: &payload)
            let header = FrameHeader(
                kind: kind, sequence: frame.sequence, deviceTime: frame.deviceTime)
            do throws(FrameRefusal) {
                try FrameValidation.check(
                    header, payload: payload.span, arrivalTime: now, recorded: isRecorded)
            } catch {
                counters.refused(error.code)
                return nil
            }
            return PushedFrame(header: header, payload: payload)
        }
    }

    /// Waits until the pipeline has ingested the frames and the disk has them.
    private func awaitIngest(on connection: ConnectionID) async -> Outcome {
        let (log, links, session) = (pipeline.log, pipeline.loops.links, session)
        var progress = PushProgress(ringBytes: pipeline.ringBytes)
        while true {
            let turn = await pipeline.mailbox.ask { core in
                PushProgress.Turn(
                    isOurs: core.table.session(of: connection) == session,
                    isDrained: links.allSatisfy(\.inbound.isEmpty), hasRoom: core.log.hasRoom,
                    end: core.log.nextOffset)
            }
            switch progress.asked(turn) {
            case .askAgain: continue
            case .gone: return .gone
            case .notDurable: return .notDurable
            case .ingested(let end):
                guard isDurable, end.rawValue > 0 else { return .recorded }
                let isDurable = await log.isDurable(
                    through: RecordOffset(rawValue: end.rawValue - 1), within: Self.durableWithin)
                return isDurable ? .recorded : .notDurable
            }
        }
    }
}
