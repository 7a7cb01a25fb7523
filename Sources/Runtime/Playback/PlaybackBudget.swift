import SensorModel
import Sharing

/// Memory budget of all playbacks.
///
/// Playbacks of owners evict those of viewers, never the reverse; otherwise strangers with a link
/// could keep an owner from playing. The viewers of one link take at most a quarter, but one of
/// them may always take what its runners need. When the budget is used up, a viewer of the link
/// with most memory is evicted for a link with less. So links that use it up together cannot keep
/// another out.
package struct PlaybackBudget {
    package static let bytesMax = 48 << 20

    package static let linkBytesMax = bytesMax / 4

    private var viewers: [SubscriberID: (bytes: Int, link: ShareKey)] = [:]
    private var owners: [ShareKey: Int] = [:]

    private var bytes: Int {
        viewers.values.reduce(0) { $0 + $1.bytes } + owners.values.reduce(0, +)
    }

    /// Reserves memory for a viewer's playback, in place of its previous one.
    ///
    /// - Returns: Viewers of other links whose playbacks are evicted; `nil` when there is no room.
    mutating func take(
        _ bytes: Int, for viewer: SubscriberID, of link: ShareKey
    ) -> [SubscriberID]? {
        viewers[viewer] = nil
        var ofLinks = viewers.values.reduce(into: [link: 0]) { $0[$1.link, default: 0] += $1.bytes }
        let wanted = ofLinks[link, default: 0] + bytes
        guard wanted == bytes || wanted <= Self.linkBytesMax else { return nil }
        var gone: [SubscriberID] = []
        var free = Self.bytesMax - self.bytes
        while free < bytes {
            guard let most = ofLinks.max(by: { $0.value < $1.value }),
                let last = viewers.first(where: {
                    $0.value.link == most.key && !gone.contains($0.key)
                }),
                most.value - last.value.bytes >= wanted
            else { return nil }
            gone.append(last.key)
            free += last.value.bytes
            ofLinks[most.key]? -= last.value.bytes
        }
        for viewer in gone { viewers[viewer] = nil }
        viewers[viewer] = (bytes, link)
        return gone
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
