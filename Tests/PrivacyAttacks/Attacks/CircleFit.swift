import Foundation
import Simulator

/// Circles through the points where tracks are cut.
enum CircleFit {
    /// Least-squares fit (Kåsa): the center, with a fitted radius.
    static func leastSquares(_ spots: [Spot]) -> Spot? {
        let mean = Spot.mean(spots)
        var (xx, xy, yy, xz, yz) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for spot in spots {
            let (x, y) = (spot.east - mean.east, spot.north - mean.north)
            let z = x * x + y * y
            (xx, xy, yy, xz, yz) = (xx + x * x, xy + x * y, yy + y * y, xz + x * z, yz + y * z)
        }
        let determinant = xx * yy - xy * xy
        guard abs(determinant) > 1e-3 else { return nil }
        return mean
            + Spot(
                east: (xz * yy - yz * xy) / (2 * determinant),
                north: (yz * xx - xz * xy) / (2 * determinant))
    }

    /// The circle through three cuts that most cuts lie on, fitted again to those.
    static func consensus(_ spots: [Spot], _ generator: inout SeededGenerator) -> Spot? {
        guard spots.count >= 3 else { return leastSquares(spots) }
        var best: [Spot] = []
        for _ in 0..<60 {
            let three = (0..<3).map { _ in spots[Int(generator.next() % UInt64(spots.count))] }
            guard let center = leastSquares(three) else { continue }
            let radius = three[0].meters(to: center)
            guard (150...3000).contains(radius) else { continue }
            let on = spots.filter { abs($0.meters(to: center) - radius) < 15 }
            if on.count > best.count { best = on }
        }
        return leastSquares(best.count >= 3 ? best : spots)
    }

    /// The point nearest to all lines along which tracks were cut.
    static func meeting(of cuts: [Cut]) -> Spot? {
        var (aa, ab, bb, ac, bc) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for cut in cuts {
            // The line's normal and its distance from the middle.
            let normal = Spot(east: -cut.outward.north, north: cut.outward.east)
            let away = normal.east * cut.spot.east + normal.north * cut.spot.north
            aa += normal.east * normal.east
            ab += normal.east * normal.north
            bb += normal.north * normal.north
            ac += normal.east * away
            bc += normal.north * away
        }
        let determinant = aa * bb - ab * ab
        guard abs(determinant) > 1e-6 else { return nil }
        return Spot(
            east: (ac * bb - bc * ab) / determinant, north: (bc * aa - ac * ab) / determinant)
    }

    /// The centroid of the area that the cuts enclose.
    static func hullCentroid(_ spots: [Spot]) -> Spot {
        let sorted = spots.sorted { ($0.east, $0.north) < ($1.east, $1.north) }
        var hull: [Spot] = []
        for pass in [sorted, sorted.reversed()] {
            let floor = hull.count
            for spot in pass {
                while hull.count >= floor + 2 {
                    let (one, two) = (hull[hull.count - 2], hull[hull.count - 1])
                    let turn =
                        (two.east - one.east) * (spot.north - one.north)
                        - (two.north - one.north) * (spot.east - one.east)
                    if turn > 0 { break }
                    hull.removeLast()
                }
                hull.append(spot)
            }
            if !hull.isEmpty { hull.removeLast() }
        }
        var area = 0.0
        var sum = Spot(east: 0, north: 0)
        guard let pivot = hull.first else { return Spot.mean(spots) }
        for (one, two) in zip(hull.dropFirst(), hull.dropFirst(2)) {
            let (a, b) = (one - pivot, two - pivot)
            let piece = (a.east * b.north - a.north * b.east) / 2
            area += piece
            sum = sum + (pivot + one + two) * (piece / 3)
        }
        return area > 100 ? sum * (1 / area) : Spot.mean(spots)
    }
}
