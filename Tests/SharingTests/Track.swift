import Foundation
import SensorModel
import Sharing

/// A made-up run: points a few meters apart.
struct Track {
    struct Point: Equatable {
        var latitude: Double
        var longitude: Double

        func moved(east: Double, north: Double) -> Point {
            let degree = 6_371_000 * Double.pi / 180
            return Point(
                latitude: latitude + north / degree,
                longitude: longitude + east / (degree * cos(latitude * .pi / 180)))
        }

        /// Meters by the haversine formula, independent of the product's code.
        func meters(to other: Point) -> Double {
            let phi = latitude * .pi / 180
            let otherPhi = other.latitude * .pi / 180
            let north = sin((otherPhi - phi) / 2)
            let east = sin((other.longitude - longitude) * .pi / 360)
            let chord = north * north + cos(phi) * cos(otherPhi) * east * east
            return 2 * 6_371_000 * asin(chord.squareRoot())
        }
    }

    var points: [Point]

    /// A line with a wobble, or a random walk, from a point.
    static func random(
        from start: Point, count: Int, stepMeters: Double, _ generator: inout SeededGenerator
    ) -> Track {
        var heading = Double.random(in: 0..<(2 * .pi), using: &generator)
        let wobble = Double.random(in: 0...0.8, using: &generator)
        var point = start
        var points = [start]
        for _ in 1..<count {
            heading += Double.random(in: -wobble...wobble, using: &generator)
            point = point.moved(east: stepMeters * cos(heading), north: stepMeters * sin(heading))
            points.append(point)
        }
        return Track(points: points)
    }

    static func randomPlace(_ generator: inout SeededGenerator) -> Point {
        Point(
            latitude: Double.random(in: -65...65, using: &generator),
            longitude: Double.random(in: -179...179, using: &generator))
    }

    static func zone(around point: Point, radius: Double) -> PrivacyZone {
        PrivacyZone(
            name: "home", latitude: point.latitude, longitude: point.longitude,
            radiusMeters: radius)
    }

    /// Center of the best-fitting circle (Kåsa), as an attacker would compute it.
    static func fittedCenter(_ points: [Point]) -> Point? {
        guard let origin = points.first else { return nil }
        let degree = 6_371_000 * Double.pi / 180
        let scale = cos(origin.latitude * .pi / 180)
        let flat = points.map {
            (
                x: ($0.longitude - origin.longitude) * degree * scale,
                y: ($0.latitude - origin.latitude) * degree
            )
        }
        let count = Double(flat.count)
        let meanX = flat.reduce(0) { $0 + $1.x } / count
        let meanY = flat.reduce(0) { $0 + $1.y } / count
        var (xx, xy, yy, xz, yz) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for point in flat {
            let (x, y) = (point.x - meanX, point.y - meanY)
            let z = x * x + y * y
            (xx, xy, yy, xz, yz) = (xx + x * x, xy + x * y, yy + y * y, xz + x * z, yz + y * z)
        }
        let determinant = xx * yy - xy * xy
        guard abs(determinant) > 1e-6 else { return nil }
        let x = (xz * yy - yz * xy) / (2 * determinant)
        let y = (yz * xx - xz * xy) / (2 * determinant)
        return origin.moved(east: x + meanX, north: y + meanY)
    }

    static func centroid(_ points: [Point]) -> Point {
        let count = Double(points.count)
        return Point(
            latitude: points.reduce(0) { $0 + $1.latitude } / count,
            longitude: points.reduce(0) { $0 + $1.longitude } / count)
    }
}
