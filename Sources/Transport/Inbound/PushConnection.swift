import NIOCore
public import SensorModel
import Synchronization

/// A connection for a device's frames that arrive in HTTP requests.
public final class PushConnection: Sendable {
    public let connection: ConnectionID
    private let state: NIOLoopBound<LoopState>
    private let eventLoop: any EventLoop

    init(connection: ConnectionID, state: NIOLoopBound<LoopState>, eventLoop: any EventLoop) {
        self.connection = connection
        self.state = state
        self.eventLoop = eventLoop
    }

    func open(device: DeviceID, session: SessionID, recorded: Bool) async {
        let connection = connection
        await push { arrival in
            let opening = DeviceOpening(
                connection: connection, device: device, session: session, recorded: recorded,
                format: .binary, transport: .push, arrival: arrival)
            return [(.opened(opening), [])]
        }
    }

    /// Sends frames to the pipeline, a part in each turn; waits while the ring is full. Frames of one
    /// call stay in order, and those of other connections may come in between.
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
        let (state, eventLoop) = (state, eventLoop)
        let done = eventLoop.flatSubmit { () -> EventLoopFuture<Void> in
            let loop = state.value
            let batch = WaitingBatch(
                records: records(loop.arrivalClock()), port: loop.inbound,
                counters: loop.counters, done: eventLoop.makePromise())
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

/// Records that wait for space in the ring, or for their turn: a request of many thousand frames
/// delays others by little, as a socket that is read 16 KiB at a time.
private final class WaitingBatch: RingSpaceWaiter {
    private static let turnBytes = 16 << 10
    /// Bytes of a record beside its payload, about.
    private static let headerBytes = 64

    private let records: [(InboundMessage, payload: [UInt8])]
    private var next = 0
    private let port: InboundPort
    private let counters: TransportCounters
    let done: EventLoopPromise<Void>

    init(
        records: [(InboundMessage, payload: [UInt8])], port: InboundPort,
        counters: TransportCounters, done: EventLoopPromise<Void>
    ) {
        self.records = records
        self.port = port
        self.counters = counters
        self.done = done
    }

    func roomMayBeThere() -> RingSpaceUse {
        var bytes = 0
        while next < records.count {
            guard bytes < Self.turnBytes else { return .wroteTurn }
            let (message, payload) = records[next]
            guard port.push(message, payload: payload.span) else { return .foundNoSpace }
            bytes += Self.headerBytes + payload.count
            if case .frame = message {
                counters.framesPushed.wrappingAdd(1, ordering: .relaxed)
            }
            next += 1
        }
        done.succeed()
        return .wroteAll
    }
}
