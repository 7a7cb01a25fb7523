import NIOCore
import NIOPosix
import Ring
public import SensorModel
import WireFormat

/// The event loops and the rings of each.
public final class LoopGroup: Sendable {
    public let links: [LoopLink]
    /// What each loop may hold.
    public let part: LoopPart
    public let counters = TransportCounters()
    let frameRates = FrameRates()
    let threads: MultiThreadedEventLoopGroup
    let states: [NIOLoopBound<LoopState>]
    let arrivalClock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - loopCount: 1…16.
    ///   - inboundBytes: Capacity of the rings of frames of all loops together.
    ///   - outboundMessages: Capacity of the rings of messages of all loops together.
    ///   - pace: Pace of broadcasts to large audiences.
    ///   - subscriberBytesMax: Bytes of a share that a viewer may owe before it is closed (4008).
    ///   - published: Called when a loop's ring has new records.
    ///   - arrivalClock: Wall clock, read once per batch.
    ///   - delivered: Called on a loop's thread once per batch of updates written to viewers, with
    ///     the age of the oldest record in it.
    public init(
        loopCount: Int = 1, inboundBytes: Int = 4 << 20,
        outboundMessages: Int = LoopPart.allMessages,
        pace: BroadcastPace = BroadcastPace(), subscriberBytesMax: Int = Limits.subscriberBytesMax,
        published: @escaping InboundPublished,
        arrivalClock: @escaping @Sendable () -> Timestamp,
        delivered: @escaping @Sendable (_ lagSeconds: Double) -> Void = { _ in }
    ) {
        precondition((1...16).contains(loopCount))
        threads = MultiThreadedEventLoopGroup(numberOfThreads: loopCount)
        let part = LoopPart(loops: loopCount, ringBytes: inboundBytes, messages: outboundMessages)
        self.part = part
        self.arrivalClock = arrivalClock
        var links: [LoopLink] = []
        var states: [NIOLoopBound<LoopState>] = []
        for (index, eventLoop) in threads.makeIterator().enumerated() {
            let rings = LoopState.Rings(
                index: index, inbound: ByteRing(capacity: part.inboundBytes),
                outbound: RingBuffer(capacity: part.outboundMessages), published: published)
            let state = Self.makeState(on: eventLoop) { [counters, frameRates] in
                LoopState(
                    eventLoop: eventLoop, rings: rings, pace: pace,
                    subscriberBytesMax: subscriberBytesMax, eventBytesMax: part.eventBytes,
                    counters: counters,
                    frameRates: frameRates, arrivalClock: arrivalClock,
                    delivered: delivered)
            }
            states.append(state)
            links.append(LoopLink(state: state, eventLoop: eventLoop, rings: rings))
        }
        self.links = links
        self.states = states
    }

    /// Creates a loop's state on its loop, which it never leaves.
    private static func makeState(
        on eventLoop: any EventLoop, _ make: @escaping @Sendable () -> LoopState
    ) -> NIOLoopBound<LoopState> {
        let made = eventLoop.submit { NIOLoopBound(make(), eventLoop: eventLoop) }
        do { return try made.wait() } catch {
            preconditionFailure("a loop that has just started refused work: \(error)")
        }
    }

    /// The state of a loop. Call on that loop only.
    func state(of eventLoop: any EventLoop) -> LoopState {
        for (index, link) in states.enumerated() where links[index].runs(on: eventLoop) {
            return link.value
        }
        preconditionFailure("a channel on a loop of another group")
    }

    /// Opens a path into the pipeline for frames of push formats, which do not use a device's own
    /// connection. The opening has a connection number of its own.
    public func openPushConnection(
        device: DeviceID, session: SessionID, recorded: Bool
    ) async -> PushConnection {
        let index = Int(session.low % UInt64(links.count))
        let state = states[index]
        let connection = try? await links[index].eventLoop.submit {
            state.value.makeConnectionID()
        }.get()
        // Only a loop that was shut down refuses work; frames sent then are discarded.
        let push = PushConnection(
            connection: connection ?? ConnectionID(rawValue: 0), state: state,
            eventLoop: links[index].eventLoop, holes: frameRates.rate(of: device).holes)
        await push.open(device: device, session: session, recorded: recorded)
        return push
    }

    /// Counts a request's frames together with those of the device's connections.
    ///
    /// - Parameters:
    ///   - times: The frames' device times.
    ///   - device: The device that sends them.
    ///   - arrival: Arrival of the request.
    ///   - perSecondMax: Limit per device, over ten seconds.
    /// - Returns: Whether the frames are within the limit.
    public func allowsPush(
        _ times: some Sequence<Timestamp>, of device: DeviceID, arrival: Timestamp,
        perSecondMax: Int
    ) -> Bool {
        let rate = frameRates.rate(of: device)
        return times.reduce(true) { allowed, time in
            rate.allows(deviceTime: time, arrival: arrival, perSecondMax: perSecondMax) && allowed
        }
    }

    /// Delay before devices receive a notice that nothing is recorded: a new segment or the log's
    /// reserve may end the failure at once.
    private static let noticeDelay = TimeAmount.milliseconds(250)

    /// Tells all devices, after a short delay and with each hello, that nothing is recorded. Their
    /// connections stay. Any thread.
    ///
    /// - Parameter reason: The reason, as a sentence; `nil`: frames are recorded again.
    public func tellDevices(notRecordedBecause reason: String?) {
        let notice = reason.map {
            DaemonMessage.error(code: CloseCode.tryAgainLater.rawValue, reason: $0)
        }
        for state in states {
            state.eventLoop.execute {
                state.value.tellDevices(notice, after: Self.noticeDelay)
            }
        }
    }

    /// Stops the loops' threads. All connections must be closed before.
    public func shutdown() async {
        for link in links { link.close() }
        // Fails only if it was shut down before.
        try? await threads.shutdownGracefully()
    }
}
