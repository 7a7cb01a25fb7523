import SensorModel
import Sharing

/// Memory budget of all playbacks.
///
/// Playbacks of owners evict those of viewers, never the reverse. Otherwise strangers with a link
/// could keep an owner from playing.
package struct PlaybackBudget {
    package static let bytesMax = 64 << 20

    private var viewers: [SubscriberID: Int] = [:]
    private var owners: [ShareKey: Int] = [:]

    private var bytes: Int {
        viewers.values.reduce(0, +) + owners.values.reduce(0, +)
    }

    /// Reserves memory for a viewer's playback, in place of its previous one.
    ///
    /// - Returns: `false` when there is no room.
    mutating func take(_ bytes: Int, for viewer: SubscriberID) -> Bool {
        viewers[viewer] = nil
        guard self.bytes + bytes <= Self.bytesMax else { return false }
        viewers[viewer] = bytes
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
