import Ring
import SensorModel
import Sharing

/// The event loops of a life: each has its rings, feeds and viewers, as in the daemon.
extension Life {
    final class Loop {
        /// Records for the pipeline.
        let ring = ByteRing(capacity: Life.ringBytes)
        let outbound = RingBuffer<Message>(capacity: 4096)
        let feeds = FeedTable()
        /// Viewers of each feed that is open on the loop.
        var watching: [FeedKey: Set<Int>] = [:]
        /// The settings that the loop knows; everything it sends must obey them.
        var inForce: [DeviceID: Privacy]

        init(inForce: [DeviceID: Privacy]) { self.inForce = inForce }
    }

    func loop(of connection: ConnectionID) -> Loop {
        loops[Int(connection.rawValue % UInt64(loops.count))]
    }

    /// Index of a viewer's loop; each of its connections may be on another.
    func loopIndex(of viewer: Viewer) -> Int {
        (viewer.index + viewer.connection) % loops.count
    }

    /// Makes all loops' records visible to the pipeline.
    func publish() {
        for loop in loops { loop.ring.publish() }
    }

    /// Arrival of the oldest unread record in the rings.
    var unreadSince: Timestamp? {
        loops.compactMap { $0.ring.peek { Self.arrival(of: $0) } }.min()
    }
}
