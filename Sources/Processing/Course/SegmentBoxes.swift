import SensorModel

/// Bounding boxes around runs of a course's segments. A search skips boxes that are too far away,
/// and finds the same place as a search of all segments.
struct SegmentBoxes: Sendable {
    private struct Box: Sendable {
        var latitudes: ClosedRange<Double>
        var longitudes: ClosedRange<Double>

        init(_ points: ArraySlice<Course.Point>) {
            let first = points[points.startIndex]
            latitudes = first.latitude...first.latitude
            longitudes = first.longitude...first.longitude
            for point in points {
                latitudes = Self.widened(latitudes, by: point.latitude)
                longitudes = Self.widened(longitudes, by: point.longitude)
            }
        }

        private static func widened(
            _ range: ClosedRange<Double>, by value: Double
        ) -> ClosedRange<Double> {
            min(range.lowerBound, value)...max(range.upperBound, value)
        }

        /// A lower bound of the distance to any place in the box, meters.
        func minMeters(from origin: (latitude: Double, longitude: Double)) -> Double {
            let nearest = (
                latitude: Self.clamped(origin.latitude, to: latitudes),
                longitude: Self.clamped(origin.longitude, to: longitudes)
            )
            // Across the date line the nearest place may lie on the other side.
            let (low, high) = (longitudes.lowerBound, longitudes.upperBound)
            guard high - origin.longitude <= 180, origin.longitude - low <= 180 else { return 0 }
            let offset = Geodesy.offset(of: nearest, from: origin)
            // The factor compensates for rounding, so that this stays a lower bound.
            return (offset * offset).sum().squareRoot() * (1 - 1e-9)
        }

        private static func clamped(_ value: Double, to range: ClosedRange<Double>) -> Double {
            min(max(value, range.lowerBound), range.upperBound)
        }
    }

    /// Segments in a box. A search then visits about as many boxes as it visits segments.
    private static let run = 32

    private let boxes: [Box]
    private let segmentCount: Int

    init(_ points: [Course.Point]) {
        segmentCount = max(0, points.count - 1)
        boxes = stride(from: 0, to: segmentCount, by: Self.run).map { start in
            Box(points[start...min(start + Self.run, points.count - 1)])
        }
    }

    /// - Returns: The first of the nearest places; `nil` if none is nearer than `limit`.
    func nearest(
        to origin: (latitude: Double, longitude: Double), of points: [Course.Point],
        within limit: Double = .infinity
    ) -> CourseRoute.Place? {
        let distances = boxes.map { $0.minMeters(from: origin) }
        guard let nearestBox = distances.indices.min(by: { distances[$0] < distances[$1] }),
            distances[nearestBox] < limit
        else { return nil }
        // The nearest place in the nearest box is a bound for the other boxes.
        var bound = limit
        Self.forEachPlace(of: points, in: segments(of: nearestBox), from: origin) { place in
            bound = min(bound, place.meters)
        }
        var best: CourseRoute.Place?
        for index in boxes.indices where distances[index] <= bound {
            Self.forEachPlace(of: points, in: segments(of: index), from: origin) { place in
                guard place.meters < best?.meters ?? limit else { return }
                best = place
                bound = min(bound, place.meters)
            }
        }
        return best
    }

    private func segments(of box: Int) -> Range<Int> {
        let start = box * Self.run
        return start..<min(start + Self.run, segmentCount)
    }

    /// Calls `body` with the foot of the perpendicular on each segment, in order.
    static func forEachPlace(
        of points: [Course.Point], in range: Range<Int>,
        from origin: (latitude: Double, longitude: Double), _ body: (CourseRoute.Place) -> Void
    ) {
        guard !range.isEmpty else { return }
        func offset(_ index: Int) -> SIMD2<Double> {
            Geodesy.offset(of: (points[index].latitude, points[index].longitude), from: origin)
        }
        var a = offset(range.lowerBound)
        for segment in range {
            let b = offset(segment + 1)
            let along = b - a
            let squared = (along * along).sum()
            let share = squared > 0 ? min(max(-(a * along).sum() / squared, 0), 1) : 0
            let foot = a + share * along
            body((segment, share * squared.squareRoot(), (foot * foot).sum().squareRoot()))
            a = b
        }
    }
}
