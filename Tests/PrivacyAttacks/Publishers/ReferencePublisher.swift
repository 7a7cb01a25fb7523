public import SensorModel

/// The simplest publisher that excludes hidden parts from all values, for circles of any size.
///
/// Values start at 0 with the first shown point and stop while positions are hidden. The finish is
/// held back as in a live view: a point is shown, with its original values, once the runner has
/// left its circle.
public struct ReferencePublisher: Publisher {
    private let design: Design

    public init(_ design: Design) {
        self.design = design
    }

    /// The hidden parts of one run.
    private struct Hidden {
        var circles: [(center: Spot, radius: Double)] = []
        let relief: SaltedRelief
        let edgeMeters: Double

        func contains(_ spot: Spot) -> Bool {
            circles.contains { circle in
                let away = spot.meters(to: circle.center)
                if away < circle.radius { return true }
                guard edgeMeters > 0, away < circle.radius + edgeMeters else { return false }
                return away < circle.radius + edgeMeters * relief.height(at: spot)
            }
        }
    }

    public func publish(_ run: RecordedRun, hiding settings: PrivacySettings) -> ShownRun {
        var grid = OffsetGrid(ring: design.offsetRing, salt: settings.salt)
        var zoneGrid =
            design.offset == .salted
            ? grid : OffsetGrid(ring: design.offsetRing, salt: ~settings.salt)
        var hidden = Hidden(
            relief: SaltedRelief(salt: settings.salt), edgeMeters: design.edgeMeters)
        for zone in settings.zones {
            let center = TownFrame.spot(latitude: zone.latitude, longitude: zone.longitude)
            hidden.circles.append(
                (center + zoneGrid.offset(at: center), zone.radiusMeters + design.widening))
        }
        if settings.trimStartMeters > 0, let first = run.samples.lazy.compactMap(\.spot).first {
            hidden.circles.append(
                (first + grid.offset(at: first), settings.trimStartMeters + design.widening))
        }
        var shown = ShownRun()
        shown.points = points(of: run, outside: hidden)
        if settings.trimFinishMeters > 0 {
            let radius = settings.trimFinishMeters + design.widening
            shown.points.removeLast(
                shown.points.count
                    - Self.released(shown.points, of: run, radius: radius, &grid))
        }
        return shown
    }

    private func points(of run: RecordedRun, outside hidden: Hidden) -> [ShownPoint] {
        var points: [ShownPoint] = []
        points.reserveCapacity(run.samples.count)
        var distance = 0.0
        var moving = 0.0
        var elapsed = 0.0
        var gain = 0.0
        var before: RecordedRun.Sample?
        var isAfterHidden = false
        for sample in run.samples {
            guard let spot = sample.spot, !hidden.contains(spot) else {
                before = nil
                isAfterHidden = true
                continue
            }
            if let before {
                distance += sample.distanceMeters - before.distanceMeters
                moving += sample.movingSeconds - before.movingSeconds
                elapsed += sample.elapsedSeconds - before.elapsedSeconds
                gain += sample.elevationGainMeters - before.elevationGainMeters
            }
            before = sample
            var point = ShownPoint(
                time: sample.time, latitude: TownFrame.latitude(of: spot),
                longitude: TownFrame.longitude(of: spot), followsHidden: isAfterHidden)
            isAfterHidden = false
            point.distanceMeters = distance
            point.elapsedSeconds = elapsed
            point.movingSeconds = moving
            point.elevationGainMeters = gain
            point.speed = sample.speed
            point.record = Int(sample.offset.rawValue)
            points.append(point)
        }
        return points
    }

    /// Number of points that the runner had left far enough behind before the end.
    private static func released(
        _ points: [ShownPoint], of run: RecordedRun, radius: Double, _ grid: inout OffsetGrid
    ) -> Int {
        var count = 0
        for sample in run.samples {
            guard let spot = sample.spot else { continue }
            let center = spot + grid.offset(at: spot)
            while count < points.count, points[count].time <= sample.time,
                points[count].spot.meters(to: center) >= radius
            {
                count += 1
            }
        }
        return count
    }
}
