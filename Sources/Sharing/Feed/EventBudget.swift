/// The bytes of events that the feeds of a loop keep for slow viewers, together bounded.
///
/// Where they are used up, a feed that keeps most gives up its older half: feeds that keep little lose
/// nothing to one that keeps much. Feeds are sorted by the power of two of what they keep, so that the
/// cost of an event does not depend on the number of feeds. Belongs to the loop.
struct EventBudget {
    private let bytesMax: Int
    /// Feeds that keep events, at index n those with 2^(n-1) bytes or more, and less than 2^n.
    private var classes: [[ShareFeed]] = Array(repeating: [], count: Int.bitWidth + 1)
    private(set) var bytes = 0

    /// What the budget knows of a feed.
    struct Place {
        fileprivate var bytes = 0
        fileprivate var index = 0
    }

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// Counts what a feed keeps now; afterwards all feeds together keep at most the budget's bytes.
    mutating func settle(_ feed: ShareFeed) {
        count(feed)
        while bytes > bytesMax {
            guard let richest = classes.last(where: { !$0.isEmpty })?.first else { return }
            richest.giveUpOlderEvents()
            count(richest)
        }
    }

    /// Counts a closed feed no more.
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
