/// How much of a broadcast is written before sockets have their turn.
public struct SweepPace: Sendable {
    /// The clock is looked at after so many; an audience that is no larger is not divided.
    public var viewers: Int
    /// To write to one takes 2 µs while memory is at hand, and 15 after a pause.
    public var nanoseconds: UInt64

    public init(viewers: Int = 64, nanoseconds: UInt64 = 3_000_000) {
        precondition(viewers > 0)
        self.viewers = viewers
        self.nanoseconds = nanoseconds
    }
}

/// Broadcasts to large audiences, in turn and piece by piece, so that sockets and the viewers of
/// small shares are served in between. Loop only.
struct Sweeps {
    struct Piece {
        let viewerList: ViewerList
        let range: Range<Int>
        /// Who was written to at this round or later has what this broadcast is about.
        let round: UInt64
    }

    private struct Sweep {
        let watch: FeedWatch
        let viewerList: ViewerList
        let round: UInt64
        var next = 0
    }

    private var waiting: [Sweep] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// A feed has changed. A broadcast of it that has not begun tells that, too.
    mutating func add(_ watch: FeedWatch, round: UInt64) {
        let sweep = Sweep(watch: watch, viewerList: watch.viewerList, round: round)
        if let index = waiting.lastIndex(where: { $0.watch === watch && $0.next == 0 }) {
            waiting[index] = sweep
        } else {
            waiting.append(sweep)
        }
    }

    /// - Parameter limit: At most so many viewers, at least 1.
    /// - Returns: Whose turn it is; `nil` when nobody waits.
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
