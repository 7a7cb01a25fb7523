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
        /// times as long as between the two before.
        var isLost = false
    }

    /// One for each record; `nil`: it has no position.
    let points: [Point?]

    init(of records: [Reference.Record]) {
        var points = Self.tracks(records)
        var moves: [Timestamp] = []
        var last: PositionMetric?
        for (index, record) in records.enumerated() {
            guard let metrics = record.metrics, let here = metrics.position else { continue }
            if here.latitude != last?.latitude || here.longitude != last?.longitude {
                moves.append(record.deviceTime)
            }
            last = here
            let ends = Array(moves.suffix(2))
            let interval = ends.count == 2 ? max(0, ends[1].seconds(since: ends[0])) : 0
            let silence = record.deviceTime.seconds(since: ends[ends.count - 1])
            points[index]?.isLost =
                metrics.state == .live && here.state == .stale && silence > 60
                && silence > 3 * interval
        }
        self.points = points
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
            let seconds = max(0, records[index].deviceTime.seconds(since: records[last].deviceTime))
            var before = 0.0
            if moves.count > 1 {
                before = max(
                    0,
                    records[last].deviceTime.seconds(
                        since: records[moves[moves.count - 2]].deviceTime))
            }
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
