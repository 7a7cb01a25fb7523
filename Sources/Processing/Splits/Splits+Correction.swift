import SensorModel

/// Corrections of marks that are already sent.
extension Splits {
    /// Returns the splits already sent that a re-dated pause changed.
    mutating func correct(by movingTime: MovingTime) -> [Split] {
        var changed: [Split] = []
        for index in tracks.indices {
            var start = tracks[index].start
            for place in tracks[index].marks.indices {
                let mark = tracks[index].marks[place]
                let seconds = Self.moving(from: start, to: mark.time, movingTime)
                start = mark.time
                guard abs(seconds - mark.split.seconds) > 0.05 else { continue }
                tracks[index].marks[place].split.seconds = seconds
                changed.append(tracks[index].marks[place].split)
            }
        }
        return changed
    }

    /// Corrects marks after a late fix has changed the path. Marks in its hole move to their place
    /// on the new path. Later marks become earlier by the time of the added meters.
    ///
    /// - Returns: The splits already sent that changed.
    mutating func correct(
        by change: LateFixes.Change, movingTime: MovingTime
    ) -> [Split] {
        guard let end = change.knots.last else { return [] }
        for index in tracks.indices {
            for place in tracks[index].marks.indices {
                let mark = tracks[index].marks[place]
                let meters = Double(mark.split.number) * tracks[index].meters - change.startMeters
                guard meters > 0 else { continue }
                if meters <= end.meters {
                    tracks[index].marks[place].time = Self.time(at: meters, on: change.knots)
                } else if let speed = mark.metersPerSecond, speed > 0 {
                    // The speed of a mark in a long hole may be close to zero.
                    let earlier = mark.time.advanced(bySeconds: -change.addedMeters / speed)
                    tracks[index].marks[place].time = max(earlier, end.time)
                }
            }
        }
        newest?.meters += change.addedMeters
        return correct(by: movingTime)
    }

    private static func time(
        at meters: Double, on knots: [(time: Timestamp, meters: Double)]
    ) -> Timestamp {
        guard let next = knots.firstIndex(where: { $0.meters >= meters }), next > 0 else {
            return knots[0].time
        }
        let (before, after) = (knots[next - 1], knots[next])
        let length = after.meters - before.meters
        let share = length > 0 ? (meters - before.meters) / length : 1
        return before.time.advanced(bySeconds: share * after.time.seconds(since: before.time))
    }
}
