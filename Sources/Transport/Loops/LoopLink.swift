import Glibc
import NIOCore
public import Ring
public import SensorModel
import Synchronization

/// The two rings between the pipeline and one event loop, as the pipeline uses them.
public final class LoopLink: Sendable {
    public let index: Int
    /// Records of ``InboundMessage``; the pipeline is the one consumer.
    public let inbound: ByteRing
    let outbound: RingBuffer<OutboundMessage>
    let eventLoop: any EventLoop
    /// Set by the pipeline when it wakes the loop; cleared by the loop before it reads the ring.
    private let wakePending = Atomic(false)
    private let isOpen = Atomic(true)
    private let pulsesAsked = Atomic<Int>(0)
    private let pulsesAnswered = Atomic<Int>(0)
    private let state: NIOLoopBound<LoopState>

    init(state: NIOLoopBound<LoopState>, eventLoop: any EventLoop, rings: LoopState.Rings) {
        index = rings.index
        inbound = rings.inbound
        outbound = rings.outbound
        self.eventLoop = eventLoop
        self.state = state
    }

    /// Fill level of the ring of messages, 0…1. Any thread.
    public var outboundFillRatio: Double { outbound.fillRatio }

    /// Pushes a message, and waits while the ring is full. In a turn of the pipeline only.
    ///
    /// The wait always ends, because a loop never waits for the pipeline. If the turn runs on this
    /// loop's thread, the call empties the ring itself.
    public func push(_ message: OutboundMessage) {
        while !outbound.push(message) {
            guard isOpen.load(ordering: .relaxed) else { return }
            guard !eventLoop.inEventLoop else {
                drain()
                continue
            }
            flush()
            usleep(50)  // The loop is busy and may share this core: let it run.
        }
    }

    /// Wakes the loop for pushed messages; at most one wake-up is pending. In a turn of the
    /// pipeline only.
    public func flush() {
        guard !outbound.isEmpty else { return }
        wake()
    }

    private func wake() {
        // Acquire and release, paired with the loop's exchange. Either the loop sees the pushed
        // messages, or this thread sees that the loop has begun to read and wakes it once more.
        guard !wakePending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        eventLoop.execute { self.drain() }
    }

    private func drain() {
        _ = wakePending.exchange(false, ordering: .acquiringAndReleasing)
        if state.value.drainOutbound() { wake() }
    }

    // MARK: - Liveness

    /// Schedules a liveness probe: a task on the loop that counts itself. Any thread.
    public func askForPulse() {
        guard isOpen.load(ordering: .relaxed) else { return }
        pulsesAsked.add(1, ordering: .relaxed)
        eventLoop.execute { self.pulsesAnswered.add(1, ordering: .relaxed) }
    }

    /// Number of answered probes, and whether one is unanswered. Any thread.
    public var pulse: (answered: Int, isOwed: Bool) {
        let asked = pulsesAsked.load(ordering: .relaxed)
        let answered = pulsesAnswered.load(ordering: .relaxed)
        return (answered, answered < asked)
    }

    func runs(on other: any EventLoop) -> Bool { eventLoop === other }

    func close() {
        isOpen.store(false, ordering: .relaxed)
    }
}

extension ConnectionID {
    /// Index of the ``LoopLink`` that reaches the connection.
    public var loop: Int { Int(rawValue >> 56) }

    init(loop: Int, number: UInt64) {
        self.init(rawValue: UInt64(loop) << 56 | number)
    }
}

extension SubscriberID {
    /// Index of the ``LoopLink`` that reaches the subscriber.
    public var loop: Int { Int(rawValue >> 56) }

    init(loop: Int, number: UInt64) {
        self.init(rawValue: UInt64(loop) << 56 | number)
    }
}
