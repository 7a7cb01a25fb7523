import Glibc
import NIOCore
import Ring
import SensorModel
import Synchronization

/// What waits for room in the inbound ring.
protocol RoomWaiter: AnyObject {
    /// Tries again.
    ///
    /// - Returns: `false` when there still was not enough room.
    func roomMayBeThere() -> Bool
}

/// Called on a loop's thread, outside of its handlers, after each round of reads that put records
/// into its ring. May take them itself.
///
/// - Returns: Microseconds for which the loop is to rest, so that the next round has more to read.
public typealias InboundPublished = @Sendable () -> UInt32

/// The loop's end of its inbound ring.
///
/// Records are pushed one by one and shown together by ``publish()``. When the ring is full, the
/// one who has more stops reading its connection and waits here; nothing is dropped.
final class InboundPort {
    private let ring: ByteRing
    private let published: InboundPublished
    private var willTell = false
    /// How often records were published.
    private(set) var rounds = 0
    private let eventLoop: any EventLoop
    private let counters: TransportCounters
    private var hasUnpublished = false
    private var header: [UInt8] = []
    private let noPayload: [UInt8] = []
    private var waiters: [any RoomWaiter] = []
    private var retryIsScheduled = false

    /// Long against the time the pipeline needs for a ring, short against a human's notice.
    private static let retryInterval: TimeAmount = .milliseconds(1)

    init(
        ring: ByteRing, published: @escaping InboundPublished, eventLoop: any EventLoop,
        counters: TransportCounters
    ) {
        self.ring = ring
        self.published = published
        self.eventLoop = eventLoop
        self.counters = counters
    }

    /// - Returns: `false` when there is no room; nothing was stored.
    func push(_ message: InboundMessage) -> Bool {
        let none = noPayload
        return push(message, payload: none.span)
    }

    func push(_ message: InboundMessage, payload: Span<UInt8>) -> Bool {
        header.removeAll(keepingCapacity: true)
        message.append(to: &header)
        guard ring.push(header: header.span, payload: payload) else {
            // The pipeline must see what is there, or it would never make room.
            publish()
            return false
        }
        hasUnpublished = true
        return true
    }

    /// At the end of a batch.
    func publish() {
        guard hasUnpublished else { return }
        hasUnpublished = false
        rounds &+= 1
        ring.publish()
        guard !willTell else { return }
        willTell = true
        // After all sockets of the round, and out of their handlers: the pipeline may work at once.
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute {
            bound.value.willTell = false
            let rest = bound.value.published()
            // Behind what the records have brought for this loop's connections.
            if rest > 0 { bound.value.eventLoop.execute { usleep(rest) } }
        }
    }

    /// Calls the waiter until it is through.
    func wait(_ waiter: any RoomWaiter) {
        counters.ringFull.wrappingAdd(1, ordering: .relaxed)
        waiters.append(waiter)
        scheduleRetry()
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
        // In turn: whoever waited longest goes first, and the first who finds no room ends it.
        var index = 0
        while index < waiting.count, waiting[index].roomMayBeThere() { index += 1 }
        waiters.insert(contentsOf: waiting[index...], at: 0)
        publish()
        if !waiters.isEmpty { scheduleRetry() }
    }
}
