/// Amount of a broadcast that is written before sockets are served.
public struct BroadcastPace: Sendable {
    /// Viewers written to between two reads of the clock; an audience of at most this size is not
    /// divided.
    public var viewers: Int
    /// Time for one piece. A write to one viewer takes 2 µs with a warm cache, and 15 µs after a
    /// pause.
    public var nanoseconds: UInt64

    public init(viewers: Int = 64, nanoseconds: UInt64 = 3_000_000) {
        precondition(viewers > 0)
        self.viewers = viewers
        self.nanoseconds = nanoseconds
    }
}

/// Broadcasts to large audiences, divided into pieces, so that sockets and the viewers of small
/// shares are served in between. Loop only.
struct BroadcastBatches {
    struct Piece {
        let viewerList: ViewerList
        let range: Range<Int>
        /// A viewer that was written to in this round or later already has this broadcast's
        /// updates.
        let round: UInt64
    }

    private struct Batch {
        let watch: FeedViewers
        let viewerList: ViewerList
        let round: UInt64
        var next = 0
    }

    private var waiting: [Batch] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// Adds a broadcast after a change of a feed. It replaces one of the same feed that has not
    /// begun.
    mutating func add(_ watch: FeedViewers, round: UInt64) {
        let batch = Batch(watch: watch, viewerList: watch.viewerList, round: round)
        if let index = waiting.lastIndex(where: { $0.watch === watch && $0.next == 0 }) {
            waiting[index] = batch
        } else {
            waiting.append(batch)
        }
    }

    /// - Parameter limit: Maximum number of viewers, at least 1.
    /// - Returns: The next piece; `nil` if no broadcast is pending.
    mutating func take(_ limit: Int) -> Piece? {
        guard let first = waiting.first else { return nil }
        let end = min(first.next + limit, first.viewerList.viewers.count)
        let piece = Piece(
            viewerList: first.viewerList, range: first.next..<end, round: first.round)
        if end == first.viewerList.viewers.count {
            waiting.removeFirst()
        } else {
            waiting[0].next = end
        }
        return piece
    }
}
