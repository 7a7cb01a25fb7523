package import SensorModel
import Sharing

/// The bound of what views that hide something take of memory.
///
///     live ──no memory──▶ withheld ──somebody comes, room──▶ read again from the log ──▶ live
extension SessionFlow {
    /// Where there is no more memory, some views are given up: those that nobody watches first, then
    /// the largest. What is recorded, and what history shows, stays as it is. A quarter is freed at
    /// once, so that the search is rare.
    func boundHiding() {
        guard sessions.hidingBytes > hidingBytesMax else { return }
        let hiding = sessions.hiding.map { live in
            (live, isWatched: board.hasViewersOfHiding(of: live.device), live.hidingBytes)
        }.sorted {
            $0.isWatched == $1.isWatched ? $0.2 > $1.2 : $1.isWatched
        }
        var count = 0
        for (live, _, _) in hiding where !hasRoomForHiding {
            live.views.withhold()
            board.sessionWithheld(live.id, of: live.device)
            watch(live)
            count += 1
        }
        outlets.complain(
            "too much is held back for trimmed finishes: \(count) sessions are not shown with "
                + "positions until somebody comes to watch them")
    }

    /// Whether a view that was given up may be made again.
    private var hasRoomForHiding: Bool { sessions.hidingBytes <= hidingBytesMax / 4 * 3 }

    /// What a viewer who comes is to see. Views of it that were given up are read again, if there is
    /// room by now.
    ///
    /// - Returns: The session the share shows, in memory or brought back from the log.
    package func sessionShown(by share: Share) -> LiveSession? {
        if let device = share.device, share.obeysPrivacy {
            for live in sessions.of(device) where live.views.isWithheld {
                guard hasRoomForHiding, live.computation != nil else { continue }
                _ = sessions.remove(live.id)
                _ = known(live.id, isRecorded: live.isRecorded)
            }
        }
        return board.session(shownBy: share, at: now).flatMap { known($0, isRecorded: false) }
    }
}
