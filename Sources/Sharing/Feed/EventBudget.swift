/// Bounds the bytes of events that all feeds of one loop together keep for slow viewers.
///
/// When the budget is exceeded, a feed with the most bytes evicts the older half of its events, so
/// that feeds with few bytes lose nothing. Feeds are grouped by the power of two of their bytes, so
/// that the cost of an event does not depend on the number of feeds. Belongs to the loop.
struct EventBudget {
    private let bytesMax: Int
    /// Feeds that keep events; index n holds those with 2^(n-1) bytes or more, and less than 2^n.
    private var classes: [[ShareFeed]] = Array(repeating: [], count: Int.bitWidth + 1)
    private(set) var bytes = 0

    /// The budget's record of one feed.
    struct Place {
        fileprivate var bytes = 0
        fileprivate var index = 0
    }

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// Counts the bytes that a feed keeps now, and evicts events until the budget is met.
    mutating func recount(_ feed: ShareFeed) {
        count(feed)
        while bytes > bytesMax {
            guard let richest = classes.last(where: { !$0.isEmpty })?.first else { return }
            richest.giveUpOlderEvents()
            count(richest)
        }
    }

    /// Removes a closed feed from the count.
    mutating func remove(_ feed: ShareFeed) {
        move(feed, to: 0)
    }

    private mutating func count(_ feed: ShareFeed) {
        move(feed, to: feed.events.bytes)
    }

    private mutating func move(_ feed: ShareFeed, to kept: Int) {
        let before = Self.rank(feed.place.bytes)
        let after = Self.rank(kept)
        bytes += kept - feed.place.bytes
        feed.place.bytes = kept
        guard before != after else { return }
        if before > 0 {
            let last = classes[before].removeLast()
            if last !== feed {
                classes[before][feed.place.index] = last
                last.place.index = feed.place.index
            }
        }
        if after > 0 {
            feed.place.index = classes[after].count
            classes[after].append(feed)
        }
    }

    private static func rank(_ bytes: Int) -> Int {
        Int.bitWidth - bytes.leadingZeroBitCount
    }
}
