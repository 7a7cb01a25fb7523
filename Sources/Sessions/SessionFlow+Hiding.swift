package import SensorModel
import Sharing

/// The memory limit for views that hide something.
///
///     live ──no memory──▶ withheld ──new viewer, free memory──▶ read from the log ──▶ live
extension SessionFlow {
    /// Withholds some views when they exceed the limit: unwatched ones first, then the largest. The
    /// record and the history stay complete. A quarter is freed at once, so that the search is
    /// rare.
    func boundHiding() {
        guard sessions.hidingBytes > hidingBytesMax else { return }
        let hiding = sessions.hiding.map { live in
            (live, isWatched: hub.hasViewersOfHiding(of: live.device), live.hidingBytes)
        }.sorted {
            $0.isWatched == $1.isWatched ? $0.2 > $1.2 : $1.isWatched
        }
        var count = 0
        for (live, _, _) in hiding where !hasRoomForHiding {
            live.views.withhold()
            hub.sessionWithheld(live.id, of: live.device)
            watch(live)
            count += 1
        }
        callbacks.complain(
            "too much is held back for trimmed finishes: \(count) sessions are not shown with "
                + "positions until somebody comes to watch them")
    }

    /// Whether a withheld view may be made again.
    private var hasRoomForHiding: Bool { sessions.hidingBytes <= hidingBytesMax / 4 * 3 }

    /// Finds the session for a new viewer. Its withheld views are read again if memory is free by
    /// now.
    ///
    /// - Returns: The session that the share shows, in memory or rebuilt from the log.
    package func sessionShown(by share: Share) -> LiveSession? {
        if let device = share.device, share.hidesPlaces {
            for live in sessions.of(device) where live.views.isWithheld {
                guard hasRoomForHiding, live.computation != nil else { continue }
                _ = sessions.remove(live.id)
                _ = known(live.id, isRecorded: live.isRecorded)
            }
        }
        return hub.session(shownBy: share, at: now).flatMap { known($0, isRecorded: false) }
    }
}
