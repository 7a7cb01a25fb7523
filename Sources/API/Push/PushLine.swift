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
actor PushLine {
    /// Result of a request's frames.
    enum Outcome: Hashable, Sendable {
        /// The frames are on disk, or on their way there if the owner requires no more.
        case recorded
        /// The session was deleted, or belongs to another line: a new one has to be opened.
        case gone
        /// The log cannot be written now: the application should send again.
        case notDurable
    }

    private struct Turn: Sendable {
        let isOurs: Bool
        let isDrained: Bool
        let hasRoom: Bool
        let end: RecordOffset
    }

    /// Turns in which the pipeline reaches our records: it drains a limited number of records a
    /// turn, and the records before ours in the ring take no more turns than this.
    private static let turnsMax = 128
    /// Longest wait for the disk before the application gets its answer.
    private static let durableWithin = Duration.seconds(5)

    let session: SessionID
    private let pipeline: Pipeline
    private let isDurable: Bool
    private let connection: Task<PushConnection, Never>
    private var memory = PushMemory()
    private let counters: PushCounters

    init(
        session: SessionID, device: DeviceID, pipeline: Pipeline, isDurable: Bool,
        counters: PushCounters
    ) {
        self.session = session
        self.pipeline = pipeline
        self.isDurable = isDurable
        self.counters = counters
        let loops = pipeline.loops
        connection = Task {
            await loops.openPushConnection(device: device, session: session, recorded: false)
        }
    }

    /// - Parameters:
    ///   - frames: Frames of one request, in order of time.
    ///   - now: Arrival clock.
    /// - Returns: The outcome, once the log has the frames.
    func send(_ frames: [Frame], at now: Timestamp) async -> Outcome {
        let pushed = encode(memory.fresh(frames), at: now)
        let connection = await connection.value
        if !pushed.isEmpty { await connection.send(pushed) }
        return await settle(connection.connection)
    }

    func close() async {
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
                    header, payload: payload.span, arrivalTime: now, recorded: false)
            } catch {
                counters.refused(error.code)
                return nil
            }
            return PushedFrame(header: header, payload: payload)
        }
    }

    /// Waits until the pipeline has ingested the frames and the disk has them.
    private func settle(_ connection: ConnectionID) async -> Outcome {
        let log = pipeline.log
        let links = pipeline.loops.links
        let session = session
        var end: RecordOffset?
        for number in 1...Self.turnsMax {
            let turn = await pipeline.mailbox.ask { core in
                Turn(
                    isOurs: core.table.session(of: connection) == session,
                    isDrained: links.allSatisfy(\.inbound.isEmpty), hasRoom: core.log.hasRoom,
                    end: core.log.nextOffset)
            }
            // Without room the pipeline takes nothing from the rings: the disk is full or broken.
            guard let turn, turn.isDrained || turn.hasRoom else { return .notDurable }
            guard turn.isDrained || number == Self.turnsMax else { continue }
            guard turn.isOurs else { return .gone }
            end = turn.end
            break
        }
        guard isDurable, let last = end?.rawValue, last > 0 else { return .recorded }
        let isDurable = await log.isDurable(
            through: RecordOffset(rawValue: last - 1), within: Self.durableWithin)
        return isDurable ? .recorded : .notDurable
    }
}
