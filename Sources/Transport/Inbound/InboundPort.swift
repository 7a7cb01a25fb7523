import Glibc
import NIOCore
import Ring
import SensorModel
import Synchronization

/// Called on a loop's thread, outside of its handlers, after each round of reads that put records
/// into its ring. The callee may read the records itself.
///
/// - Returns: Microseconds for which the loop sleeps, so that the next round reads more.
public typealias InboundPublished = @Sendable () -> UInt32

/// The loop's end of its inbound ring.
///
/// Records are pushed one by one and made visible together by ``publish()``. When the ring is full,
/// a connection stops reading and waits here; nothing is dropped.
final class InboundPort {
    private let ring: ByteRing
    private let published: InboundPublished
    private var willTell = false
    /// Number of calls that published records.
    private(set) var rounds = 0
    private let eventLoop: any EventLoop
    private let counters: TransportCounters
    private var hasUnpublished = false
    private var header: [UInt8] = []
    private let noPayload: [UInt8] = []
    private let arrivalClock: () -> Timestamp
    /// Those that wait for space in the ring or for their next turn, in order.
    private var waiters: [any RingSpaceWaiter] = []
    private var paced = PacedWaiters()
    private var retryIsScheduled = false
    /// Ends in the ring of the openings that the pipeline may not have read.
    private var openings = CircularBuffer<Int>()

    /// With 64 shares, a session that begins and its first frame take 0.1 ms of the pipeline.
    private static let openingsMax = 8

    /// Much longer than the pipeline needs for a ring, and too short for people to notice.
    private static let retryInterval: TimeAmount = .milliseconds(1)

    init(
        ring: ByteRing, published: @escaping InboundPublished, eventLoop: any EventLoop,
        counters: TransportCounters, arrivalClock: @escaping () -> Timestamp
    ) {
        self.arrivalClock = arrivalClock
        self.ring = ring
        self.published = published
        self.eventLoop = eventLoop
        self.counters = counters
    }

    /// - Returns: `false` if there is no space; nothing was stored.
    func push(_ message: InboundMessage) -> Bool {
        let none = noPayload
        return push(message, payload: none.span)
    }

    func push(_ message: InboundMessage, payload: Span<UInt8>) -> Bool {
        header.removeAll(keepingCapacity: true)
        message.append(to: &header)
        guard ring.push(header: header.span, payload: payload) else {
            // The pipeline must see the records in the ring, or it would never free space.
            publish()
            return false
        }
        hasUnpublished = true
        if case .opened = message { openings.append(ring.pushedEnd) }
        return true
    }

    /// Whether the pipeline has read all but a few openings. All others' frames wait behind those
    /// that it has not.
    func hasRoomForOpening() -> Bool {
        let end = ring.consumedEnd
        while let first = openings.first, first <= end { openings.removeFirst() }
        return openings.count < Self.openingsMax
    }

    /// Publishes the pushed records, at the end of a batch.
    func publish() {
        guard hasUnpublished else { return }
        hasUnpublished = false
        rounds &+= 1
        ring.publish()
        guard !willTell else { return }
        willTell = true
        // Runs after all sockets of the round and outside their handlers: the pipeline may run
        // here.
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute {
            bound.value.willTell = false
            let rest = bound.value.published()
            // Runs after the messages that the records caused for this loop's connections.
            if rest > 0 { bound.value.eventLoop.execute { usleep(rest) } }
        }
    }

    /// Queues a waiter, and calls it until it has written everything.
    ///
    /// - Parameters:
    ///   - waiter: A connection.
    ///   - need: The room in its device's pace that it waits for; `nil`: space in the ring.
    func wait(_ waiter: any RingSpaceWaiter, for need: HolePace.Need?) {
        if let need {
            paced.append(waiter, need)
        } else {
            counters.ringFull.wrappingAdd(1, ordering: .relaxed)
            waiters.append(waiter)
        }
        scheduleRetry()
    }

    /// Removes a waiter, which is not called any more.
    ///
    /// - Parameters:
    ///   - waiter: A connection.
    ///   - need: What it waits for.
    func forget(_ waiter: any RingSpaceWaiter, _ need: HolePace.Need?) {
        if let need {
            paced.remove(waiter, from: need.pace)
        } else {
            waiters.removeAll { $0 === waiter }
        }
    }

    /// Gives a waiter turns until it has written everything, the first one now.
    func begin(_ waiter: any RingSpaceWaiter) {
        switch waiter.roomMayBeThere() {
        case .wroteAll: break
        case .foundNoSpace: wait(waiter, for: nil)
        case .needs(let need): wait(waiter, for: need)
        case .wroteTurn:
            waiters.append(waiter)
            scheduleRetry()
        }
        publish()
    }

    private func scheduleRetry() {
        guard !retryIsScheduled else { return }
        retryIsScheduled = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: Self.retryInterval) { bound.value.retry() }
    }

    private func retry() {
        retryIsScheduled = false
        let waiting = waiters
        waiters.removeAll()
        // Those that wait for the pace come last, and only if the ring has space.
        if serve(waiting) { _ = serve(paced.takePass(at: arrivalClock())) }
        publish()
        if !waiters.isEmpty || !paced.isEmpty { scheduleRetry() }
    }

    /// Gives each waiter a turn, in order. The first that finds no space ends the pass, as does one
    /// that used a whole turn and has more; the next pass begins behind it.
    ///
    /// - Returns: Whether the ring had space for all of them.
    private func serve(_ waiting: [any RingSpaceWaiter]) -> Bool {
        for (index, next) in waiting.enumerated() {
            switch next.roomMayBeThere() {
            case .wroteAll: break
            case .wroteTurn:
                waiters.insert(contentsOf: waiting[(index + 1)...] + [next], at: 0)
                return true
            case .needs(let need): paced.append(next, need)
            case .foundNoSpace:
                waiters.insert(contentsOf: waiting[index...], at: 0)
                return false
            }
        }
        return true
    }
}
