import SensorModel
import Sharing

/// Memory budget of all playbacks.
///
/// Playbacks of owners evict those of viewers, never the reverse. Otherwise strangers with a link
/// could keep an owner from playing. The viewers of one link take a quarter at most; one of them may
/// always take what its runners need.
package struct PlaybackBudget {
    package static let bytesMax = 64 << 20

    package static let linkBytesMax = bytesMax / 4

    private var viewers: [SubscriberID: (bytes: Int, link: ShareKey)] = [:]
    private var owners: [ShareKey: Int] = [:]

    private var bytes: Int {
        viewers.values.reduce(0) { $0 + $1.bytes } + owners.values.reduce(0, +)
    }

    /// Reserves memory for a viewer's playback, in place of its previous one.
    ///
    /// - Returns: `false` when there is no room.
    mutating func take(
        _ bytes: Int, for viewer: SubscriberID, of link: ShareKey
    ) -> Bool {
        viewers[viewer] = nil
        let ofLink = viewers.values.reduce(0) { $0 + ($1.link == link ? $1.bytes : 0) }
        guard ofLink == 0 || ofLink + bytes <= Self.linkBytesMax else { return false }
        guard self.bytes + bytes <= Self.bytesMax else { return false }
        viewers[viewer] = (bytes, link)
        return true
    }

    /// Reserves memory for an owner's playback to a share, in place of its previous one.
    ///
    /// - Returns: Viewers whose playbacks are evicted; `nil` when owners alone use the whole
    ///   budget.
    mutating func take(_ bytes: Int, for share: ShareKey) -> [SubscriberID]? {
        owners[share] = nil
        guard owners.values.reduce(0, +) + bytes <= Self.bytesMax else { return nil }
        owners[share] = bytes
        var gone: [SubscriberID] = []
        while self.bytes > Self.bytesMax, let viewer = viewers.keys.first {
            viewers[viewer] = nil
            gone.append(viewer)
        }
        return gone
    }

    mutating func release(_ viewer: SubscriberID) { viewers[viewer] = nil }

    mutating func release(_ share: ShareKey) { owners[share] = nil }
}
