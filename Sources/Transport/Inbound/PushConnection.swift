import NIOCore
public import SensorModel
import Synchronization

/// A connection for a device's frames that arrive in HTTP requests.
public final class PushConnection: Sendable {
    public let connection: ConnectionID
    private let state: NIOLoopBound<LoopState>
    private let eventLoop: any EventLoop
    /// The holes between its frames, including those of earlier calls.
    private let holes: NIOLoopBoundBox<FrameHoles>

    init(
        connection: ConnectionID, state: NIOLoopBound<LoopState>, eventLoop: any EventLoop,
        holes: HolePace
    ) {
        self.connection = connection
        self.holes = .makeBoxSendingValue(FrameHoles(pace: holes), eventLoop: eventLoop)
        self.state = state
        self.eventLoop = eventLoop
    }

    func open(device: DeviceID, session: SessionID, recorded: Bool) async {
        let connection = connection
        await push { arrival in
            let opening = DeviceOpening(
                connection: connection, device: device, tokenHash: .zero, session: session,
                recorded: recorded, format: .binary, transport: .push, arrival: arrival)
            return [(.opened(opening), [])]
        }
    }

    /// Sends frames to the pipeline in turns, and waits for space in the ring and for the device's
    /// ``HolePace``.
    ///
    /// Frames of one call stay in order; frames of other connections may come in between.
    public func send(_ frames: [PushedFrame]) async {
        let connection = connection
        await push { arrival in
            frames.map { frame in
                let arrived = FrameArrival(
                    connection: connection, arrival: arrival, header: frame.header)
                return (.frame(arrived), frame.payload)
            }
        }
    }

    public func close() async {
        let connection = connection
        await push { [(.closed(connection, arrival: $0), [])] }
    }

    private func push(
        _ records: @escaping @Sendable (Timestamp) -> [(InboundMessage, payload: [UInt8])]
    ) async {
        let (state, eventLoop, holes) = (state, eventLoop, holes)
        let done = eventLoop.flatSubmit { () -> EventLoopFuture<Void> in
            let loop = state.value
            let batch = WaitingBatch(
                records: records(loop.arrivalClock()), loop: loop, holes: holes,
                done: eventLoop.makePromise())
            loop.inbound.begin(batch)
            return batch.done.futureResult
        }
        // Fails only on a loop that was shut down; the daemon is stopping then.
        try? await done.get()
    }
}

/// A frame with its payload in the binary wire form.
public struct PushedFrame: Hashable, Sendable {
    public var header: FrameHeader
    public var payload: [UInt8]

    public init(header: FrameHeader, payload: [UInt8]) {
        self.header = header
        self.payload = payload
    }
}

/// The records of one request, which wait for space in the ring and are written in turns.
///
/// A turn is half of a socket's read, some 0.4 ms of the pipeline, and one batch has its turn in a
/// pass. So thousands of frames, of many files that are imported at once, delay others little.
private final class WaitingBatch: RingSpaceWaiter {
    private static let turnBytes = 8 << 10
    /// Approximate bytes of a record beside its payload.
    private static let headerBytes = 64

    private let records: [(InboundMessage, payload: [UInt8])]
    private var next = 0
    private let loop: LoopState
    private let holes: NIOLoopBoundBox<FrameHoles>
    let done: EventLoopPromise<Void>

    init(
        records: [(InboundMessage, payload: [UInt8])], loop: LoopState,
        holes: NIOLoopBoundBox<FrameHoles>, done: EventLoopPromise<Void>
    ) {
        self.records = records
        self.loop = loop
        self.holes = holes
        self.done = done
    }

    func roomMayBeThere() -> RingSpaceUse {
        var bytes = 0
        while next < records.count {
            guard bytes < Self.turnBytes else { return .wroteTurn }
            let (message, payload) = records[next]
            var ticks = 0.0
            if case .frame(let frame) = message {
                do throws(HolePace.Need) {
                    ticks = try holes.value.ticks(
                        before: frame.header, payload: payload.span, at: loop.arrivalClock())
                } catch { return .needs(error) }
            }
            guard loop.inbound.push(message, payload: payload.span) else { return .foundNoSpace }
            bytes += Self.headerBytes + payload.count
            if case .frame(let frame) = message {
                holes.value.passed(frame.header, ticks: ticks)
                loop.counters.framesPushed.wrappingAdd(1, ordering: .relaxed)
            }
            next += 1
        }
        // Publish first: the resumed caller may ask whether the pipeline has emptied the ring.
        loop.inbound.publish()
        done.succeed()
        return .wroteAll
    }
}
