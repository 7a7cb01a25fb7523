import SensorModel
import Sharing

/// Tells when records of a session with a trimmed finish may be shown, and which may be the finish.
enum FinishReference {
    struct Release {
        /// Arrival clock.
        var at: Timestamp
        /// The record that ends the wait, the session's next one or a call for help; `nil` if time
        /// alone ends it, ``lagSeconds`` later.
        var by: RecordOffset?
        /// Whether the runner was still near the record's place by then.
        var isNear = false
    }

    /// Seconds until release; the product waits twenty minutes, which is longer than a seed.
    static let secondsLate = 8.0
    /// Extra seconds if time alone ends the wait, because a record on its way may decide otherwise.
    static let lagSeconds = 5.0

    static func releases(
        of records: [Reference.Record], _ settings: PrivacySettings
    ) -> [Release] {
        guard settings.trimFinishMeters > 0 else {
            return records.map { Release(at: $0.arrival, by: $0.offset) }
        }
        var releases = records.map { Release(at: due($0)) }
        var waiting: [Int] = []
        var places: [(latitude: Double, longitude: Double, at: Timestamp)?] = []
        let track = TrackReference(of: records)
        // Indices of records before or at a long stand, whose places no longer count as left.
        var final: Set<Int> = []
        var stands = false
        // After an end the places count no longer as left, until another run begins.
        var isOver = false
        let continues = Reference.continuations(of: records)
        var ahead: HiddenCircle?
        for (index, record) in records.enumerated() {
            while let first = waiting.first, due(records[first]) <= record.arrival {
                releases[first].by = record.offset
                waiting.removeFirst()
            }
            if continues[index] {
                final.formUnion(waiting)
                (isOver, stands, ahead) = (false, false, nil)
            }
            if record.isEnd {
                isOver = true
                final.formUnion(waiting)
            }
            if let point = track.points[index] {
                if !stands, point.isAtStand { final.formUnion(waiting) }
                stands = point.isAtStand
            }
            if let position = record.metrics?.position, let point = track.points[index],
                point.isNew
            {
                places.append((position.latitude, position.longitude, record.deviceTime))
                // Leaving a place takes two positions in a row, because one may be an outlier.
                let behind = ahead
                let mayLeave =
                    point.isTrusted && position.state == .live
                    && position.horizontalAccuracyMeters ?? 0 <= 100
                ahead =
                    mayLeave
                    ? HiddenCircle(
                        meters: settings.trimFinishMeters, aroundLatitude: position.latitude,
                        longitude: position.longitude, salt: settings.salt) : nil
                let circles = [behind, ahead].compactMap { $0 }
                for other in waiting where circles.count == 2 && !final.contains(other) {
                    guard let place = places[other],
                        max(records[other].deviceTime, place.at) <= record.deviceTime
                    else { continue }
                    if !circles.contains(where: {
                        $0.contains(latitude: place.latitude, longitude: place.longitude)
                    }) {
                        releases[other].isNear = false
                    }
                }
            } else {
                places.append(places.last ?? nil)
            }
            if record.isCallForHelp || places[index] == nil {
                if record.isCallForHelp {
                    for other in waiting {
                        releases[other].at = record.arrival
                        releases[other].by = record.offset
                    }
                    waiting = []
                }
                releases[index].at = record.arrival
                releases[index].by = record.offset
            } else {
                releases[index].isNear = true
                waiting.append(index)
                if stands || isOver { final.insert(index) }
            }
        }
        return releases
    }

    private static func due(_ record: Reference.Record) -> Timestamp {
        record.arrival.advanced(bySeconds: secondsLate)
    }
}
