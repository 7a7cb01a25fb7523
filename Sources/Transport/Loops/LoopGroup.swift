import NIOCore
import NIOPosix
import Ring
public import SensorModel

/// The event loops, each with its rings.
public final class LoopGroup: Sendable {
    public let links: [LoopLink]
    public let counters = TransportCounters()
    let frameRates = FrameRates()
    let threads: MultiThreadedEventLoopGroup
    let states: [NIOLoopBound<LoopState>]
    let arrivalClock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - loopCount: 1…16.
    ///   - inboundBytes: Of each loop's ring of frames; a power of two.
    ///   - outboundMessages: Of each loop's ring of messages; a power of two.
    ///   - sweeps: Of broadcasts to large audiences.
    ///   - published: Told of records in a loop's ring.
    ///   - arrivalClock: Wall clock, read once a batch.
    ///   - delivered: Told on a loop's thread, once a batch of updates is written to who watches,
    ///     how long ago the oldest record in it arrived.
    public init(
        loopCount: Int = 1, inboundBytes: Int = 4 << 20, outboundMessages: Int = 1 << 14,
        sweeps: SweepPace = SweepPace(), published: @escaping InboundPublished,
        arrivalClock: @escaping @Sendable () -> Timestamp,
        delivered: @escaping @Sendable (_ lagSeconds: Double) -> Void = { _ in }
    ) {
        precondition((1...16).contains(loopCount))
        threads = MultiThreadedEventLoopGroup(numberOfThreads: loopCount)
        self.arrivalClock = arrivalClock
        var links: [LoopLink] = []
        var states: [NIOLoopBound<LoopState>] = []
        for (index, eventLoop) in threads.makeIterator().enumerated() {
            let rings = LoopState.Rings(
                index: index, inbound: ByteRing(capacity: inboundBytes),
                outbound: RingBuffer(capacity: outboundMessages), published: published)
            let state = Self.makeState(on: eventLoop) { [counters, frameRates] in
                LoopState(
                    eventLoop: eventLoop, rings: rings, sweeps: sweeps,
                    counters: counters, frameRates: frameRates, arrivalClock: arrivalClock,
                    delivered: delivered)
            }
            states.append(state)
            links.append(LoopLink(state: state, eventLoop: eventLoop, rings: rings))
        }
        self.links = links
        self.states = states
    }

    /// A loop's state is born on its loop and never leaves it.
    private static func makeState(
        on eventLoop: any EventLoop, _ make: @escaping @Sendable () -> LoopState
    ) -> NIOLoopBound<LoopState> {
        let made = eventLoop.submit { NIOLoopBound(make(), eventLoop: eventLoop) }
        do { return try made.wait() } catch {
            preconditionFailure("a loop that has just started refused work: \(error)")
        }
    }

    /// On that loop only.
    func state(of eventLoop: any EventLoop) -> LoopState {
        for (index, link) in states.enumerated() where links[index].runs(on: eventLoop) {
            return link.value
        }
        preconditionFailure("a channel on a loop of another group")
    }

    /// A way into the pipeline for frames that did not come over a device's own connection: the
    /// push formats' requests. It gives the opening a connection number of its own.
    public func openPushConnection(
        device: DeviceID, session: SessionID, recorded: Bool
    ) async -> PushConnection {
        let index = Int(session.low % UInt64(links.count))
        let state = states[index]
        let connection = try? await links[index].eventLoop.submit {
            state.value.makeConnectionID()
        }.get()
        // Only a loop that was shut down refuses work; what is sent then goes nowhere.
        let push = PushConnection(
            connection: connection ?? ConnectionID(rawValue: 0), state: state,
            eventLoop: links[index].eventLoop)
        await push.open(device: device, session: session, recorded: recorded)
        return push
    }

    /// Counts frames that a request brings together with those of the device's connections.
    ///
    /// - Parameters:
    ///   - times: The frames' device times.
    ///   - device: Whose.
    ///   - arrival: Of the request.
    ///   - perSecondMax: Of the device, over ten seconds.
    /// - Returns: Whether they are not too many.
    public func allowsPush(
        _ times: some Sequence<Timestamp>, of device: DeviceID, arrival: Timestamp,
        perSecondMax: Int
    ) -> Bool {
        let rate = frameRates.rate(of: device)
        return times.reduce(true) { allowed, time in
            rate.allows(deviceTime: time, arrival: arrival, perSecondMax: perSecondMax) && allowed
        }
    }

    /// Stops the loops' threads. Everything on them must be closed by then.
    public func shutdown() async {
        for link in links { link.close() }
        // Fails only when it was shut down before.
        try? await threads.shutdownGracefully()
    }
}
