import CHardware
import NIOCore
import Ring
import SensorModel
import Sharing
import Synchronization
import WireFormat

/// The state of one event loop: devices, viewers, ends of the rings; used only on its thread.
final class LoopState {
    struct Rings: Sendable {
        let index: Int
        let inbound: ByteRing
        let outbound: RingBuffer<OutboundMessage>
        let published: InboundPublished
    }

    let index: Int
    let eventLoop: any EventLoop
    let counters: TransportCounters
    let arrivalClock: @Sendable () -> Timestamp
    /// Shared by all loops.
    let frameRates: FrameRates
    let inbound: InboundPort
    let wheel: DeadlineWheel
    let viewers: ViewerTable
    /// Bytes that a viewer may owe.
    let subscriberBytesMax: Int
    /// Every open connection that can be told to close, by the identity of its object.
    private(set) var connections: [ObjectIdentifier: any LoopConnection] = [:]
    private var devices: [ConnectionID: DeviceConnection] = [:]
    private let outbound: RingBuffer<OutboundMessage>
    private var nextNumber: UInt64 = 1
    private var accepted: UInt = 0
    /// Connections that 64 KiB are enough for: an idle viewer takes 6.
    private static let connectionsAtOnce: UInt = 8
    private var wheelTask: Scheduled<Void>?
    /// Buffer for decoded payloads; a user swaps it out and back.
    var scratch: [UInt8] = []
    /// The oldest arrival among the updates of the current batch.
    private var oldestArrival: Timestamp?
    private let delivered: @Sendable (_ lagSeconds: Double) -> Void
    /// Message that all connected devices have received, and new ones receive; `nil`: none.
    private var notice: DaemonMessage?
    private var noticeTask: Scheduled<Void>?
    /// Set while the daemon stops: new connections receive it at once.
    var goodbye: CloseCode?

    /// Bytes that all ``FlushGate``s of the loop hold.
    var bytesReadInFlushes = 0

    /// Messages taken from the pipeline so far, except acks. An ack causes no further messages.
    private var messages = 0

    /// Maximum number of messages taken at once, so that sockets are served in between.
    private static let drainMax = 4096

    let requestTurns: RequestTurns
    let conversationTurns: ConversationTurns
    let handshakeTurns: NetworkTurns
    /// Turns of hellos, whose token is checked.
    let helloTurns: NetworkTurns
    /// Turns of admitted devices. They wait for the pipeline, too; not while it records nothing,
    /// which they must be told.
    private(set) lazy var openingTurns = NetworkTurns(
        eventLoop, restFactor: 2,
        hasRoom: { [unowned self] in notice != nil || inbound.hasRoomForOpening() },
        clock: loopClock)
    private let loopClock: () -> NIODeadline

    init(
        eventLoop: any EventLoop, rings: Rings, pace: BroadcastPace, subscriberBytesMax: Int,
        eventBytesMax: Int = FeedTable.eventBytesMax, counters: TransportCounters,
        frameRates: FrameRates,
        arrivalClock: @escaping @Sendable () -> Timestamp,
        loopClock: @escaping @Sendable () -> NIODeadline = NIODeadline.now,
        delivered: @escaping @Sendable (_ lagSeconds: Double) -> Void = { _ in }
    ) {
        index = rings.index
        self.eventLoop = eventLoop
        self.loopClock = loopClock
        requestTurns = RequestTurns(eventLoop, clock: loopClock)
        conversationTurns = ConversationTurns(eventLoop, clock: loopClock)
        handshakeTurns = NetworkTurns(eventLoop, clock: loopClock)
        helloTurns = NetworkTurns(eventLoop, clock: loopClock)
        self.counters = counters
        self.arrivalClock = arrivalClock
        self.frameRates = frameRates
        self.delivered = delivered
        self.subscriberBytesMax = subscriberBytesMax
        outbound = rings.outbound
        inbound = InboundPort(
            ring: rings.inbound, published: rings.published, eventLoop: eventLoop,
            counters: counters, arrivalClock: arrivalClock)
        wheel = DeadlineWheel(tick: Self.tick(.now()))
        viewers = ViewerTable(
            eventLoop: eventLoop, counters: counters, pace: pace,
            subscriberBytesMax: subscriberBytesMax, eventBytesMax: eventBytesMax)
        viewers.broadcastEnded = { [unowned self] in reportDelivery() }
        viewers.othersServed = { [unowned self] in inbound.rounds &+ messages }
    }

    func makeConnectionID() -> ConnectionID {
        ConnectionID(loop: index, number: takeNumber())
    }

    func makeSubscriberID() -> SubscriberID {
        SubscriberID(loop: index, number: takeNumber())
    }

    private func takeNumber() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    // MARK: - Connections

    /// Grows the loop's heap for some connections at once; call it for each.
    func makeRoomForConnection() {
        accepted &+= 1
        if accepted % Self.connectionsAtOnce == 0 { pulsecast_grow_heap() }
    }

    func add(_ connection: any LoopConnection) {
        connections[ObjectIdentifier(connection)] = connection
        if let goodbye { connection.goAway(goodbye) }
    }

    func remove(_ connection: any LoopConnection) {
        connections[ObjectIdentifier(connection)] = nil
    }

    func add(_ device: DeviceConnection) {
        devices[device.id] = device
        counters.devicesConnected.wrappingAdd(1, ordering: .relaxed)
        if let notice { device.say(notice) }
    }

    /// - Parameters:
    ///   - notice: Message for all devices; `nil` withdraws the last one silently.
    ///   - delay: Time before devices receive it, in which it may be withdrawn.
    func tellDevices(_ notice: DaemonMessage?, after delay: TimeAmount) {
        noticeTask?.cancel()
        self.notice = nil
        guard let notice else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        noticeTask = eventLoop.scheduleTask(in: delay) {
            let state = bound.value
            state.notice = notice
            for device in state.devices.values { device.say(notice) }
        }
    }

    func remove(_ device: DeviceConnection) {
        guard devices.removeValue(forKey: device.id) != nil else { return }
        counters.devicesConnected.wrappingSubtract(1, ordering: .relaxed)
    }

    // MARK: - Time

    /// Sets or postpones a connection's deadline, and keeps the wheel running while one is set.
    func setDeadline(
        _ deadline: inout Deadline?, of member: any DeadlineMember, inSeconds seconds: Int
    ) {
        if wheelTask == nil { wheel.advance(to: Self.tick(.now())) }
        wheel.set(&deadline, of: member, inSeconds: seconds)
        turnWheel()
    }

    private func turnWheel() {
        guard wheelTask == nil, wheel.count > 0 else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        wheelTask = eventLoop.scheduleTask(in: .seconds(1)) {
            let state = bound.value
            state.wheel.advance(to: Self.tick(.now()))
            state.wheelTask = nil
            state.turnWheel()
        }
    }

    private static func tick(_ now: NIODeadline) -> Int {
        Int(now.uptimeNanoseconds / 1_000_000_000)
    }

    // MARK: - From the pipeline

    /// - Returns: Whether there are more messages.
    func drainOutbound() -> Bool {
        let count = outbound.drain(limit: Self.drainMax) { message in
            if case .ack = message {} else { messages &+= 1 }
            deliver(message)
        }
        viewers.flushChanged()
        reportDelivery()
        return count == Self.drainMax
    }

    private func reportDelivery() {
        guard let arrival = oldestArrival, !viewers.isBroadcasting else { return }
        oldestArrival = nil
        delivered(arrivalClock().seconds(since: arrival))
    }

    private func deliver(_ message: OutboundMessage) {
        switch message {
        case .welcome(let connection, let welcome): devices[connection]?.welcome(welcome)
        case .ack(let connection, let sequence, let durable):
            devices[connection]?.acknowledge(sequence, durable: durable)
        case .refusal(let connection, let code, let reason):
            devices[connection]?.say(.error(code: code, reason: reason))
        case .command(let connection, let json): devices[connection]?.command(json)
        case .close(let connection, let code): devices[connection]?.close(code)
        case .finished(let connection): devices[connection]?.finish()
        case .feed(let share, let update):
            oldestArrival = [oldestArrival, update.arrival].compactMap { $0 }.min()
            viewers.apply(update, to: share)
        case .feedsBegin(let subscriber, let feeds, let start):
            viewers.begin(subscriber, feeds: feeds, start: start)
        case .catchUp(let subscriber, let events): viewers.catchUp(subscriber, events)
        case .caughtUp(let subscriber): viewers.caughtUp(subscriber)
        case .feedEnded(let share, let code): viewers.end(share, code)
        case .closeSubscriber(let subscriber, let code): viewers.close(subscriber, code)
        }
    }
}

/// A connection that a stopping daemon can close.
protocol LoopConnection: AnyObject {
    /// Announces the end in the connection's protocol, and closes once that is written. Devices are
    /// asked to reconnect regardless of the code.
    func goAway(_ code: CloseCode)
    /// Closes at once.
    func abort()
}
