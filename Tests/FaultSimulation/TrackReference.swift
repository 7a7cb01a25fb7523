import SensorModel
import Sharing

/// Where a track was taken up, and whether it is one that a runner runs: worked out from the
/// positions of a session's records.
struct TrackReference {
    /// What is known of a record with a position.
    struct Point {
        /// Index of the record at which the track was taken up.
        let landing: Int
        /// It went on from there without a leap, and 100 m away from there.
        let isTrusted: Bool
        /// While others of the watch go on there was no new position for a minute, or for three
        /// times as long as the shorter of the two times before, and at most five minutes.
        var isLost = false
    }

    /// One for each record; `nil`: it has no position.
    let points: [Point?]

    init(of records: [Reference.Record]) {
        var points = Self.tracks(records)
        var moves: [Double] = []
        var last: PositionMetric?
        for (index, record) in records.enumerated() {
            guard let metrics = record.metrics, let here = metrics.position else { continue }
            if here.latitude != last?.latitude || here.longitude != last?.longitude {
                moves.append(metrics.elapsedSeconds)
            }
            last = here
            let silence = abs(metrics.elapsedSeconds - (moves.last ?? 0))
            points[index]?.isLost =
                metrics.state == .live && here.state == .stale && silence > 60
                && silence > min(3 * Self.interval(of: moves), 300)
        }
        self.points = points
    }

    /// The shorter of the last two times between moves; 0 if there are fewer.
    private static func interval(of moves: some BidirectionalCollection<Double>) -> Double {
        let ends = Array(moves.suffix(3))
        return ends.count == 3 ? min(max(0, ends[2] - ends[1]), max(0, ends[1] - ends[0])) : 0
    }

    private static func tracks(_ records: [Reference.Record]) -> [Point?] {
        /// Records whose position is another than the one before.
        var moves: [Int] = []
        var landing = 0
        var isTrusted = false
        return records.indices.map { index in
            guard let here = records[index].metrics?.position else { return nil }
            guard let last = moves.last, let there = records[last].metrics?.position else {
                moves = [index]
                landing = index
                return Point(landing: index, isTrusted: false)
            }
            guard here.latitude != there.latitude || here.longitude != there.longitude else {
                return Point(landing: landing, isTrusted: isTrusted)
            }
            let times = moves.suffix(3).map { records[$0].metrics?.elapsedSeconds ?? 0 }
            let before = interval(of: times)
            let seconds = max(
                0, (records[index].metrics?.elapsedSeconds ?? 0) - (times.last ?? 0))
            moves.append(index)
            let isHole = seconds > 30 && seconds > 3 * before
            if meters(here, there) > 25, isHole || meters(here, there) > 15 * seconds {
                landing = index
                isTrusted = false
            } else if let start = records[landing].metrics?.position {
                isTrusted = isTrusted || meters(here, start) >= 100
            }
            return Point(landing: landing, isTrusted: isTrusted)
        }
    }

    /// Meters on the plane around the second position, as the product measures them: a track is
    /// trusted at 100 m to the letter.
    static func meters(_ one: PositionMetric, _ other: PositionMetric) -> Double {
        let degree = 6_371_000 * Double.pi / 180
        let north = (one.latitude - other.latitude) * degree
        // Nobody runs across the 180th meridian here.
        let east =
            (one.longitude - other.longitude) * degree
            * LocalPlane.cosine(ofDegrees: other.latitude)
        return (north * north + east * east).squareRoot()
    }
}
