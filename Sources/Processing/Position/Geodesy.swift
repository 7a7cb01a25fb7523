import Glibc
public import SensorModel

/// Computes distances on the sphere that the reference applications use.
public enum Geodesy {
    /// Radius of the earth in meters, the mean radius of both reference applications.
    public static let earthRadiusMeters = 6_371_000.0

    /// Great-circle distance in meters: haversine in its atan2 form (Sinnott 1984).
    public static func meters(
        fromLatitude latitude1: Double, longitude longitude1: Double,
        toLatitude latitude2: Double, longitude longitude2: Double
    ) -> Double {
        let radians = Double.pi / 180
        let halfLatitude = (latitude2 - latitude1) * radians / 2
        let halfLongitude = (longitude2 - longitude1) * radians / 2
        let a =
            sin(halfLatitude) * sin(halfLatitude)
            + cos(latitude1 * radians) * cos(latitude2 * radians)
            * sin(halfLongitude) * sin(halfLongitude)
        return 2 * earthRadiusMeters * atan2(a.squareRoot(), max(0, 1 - a).squareRoot())
    }

    public static func meters(from first: Location, to second: Location) -> Double {
        meters(
            fromLatitude: first.latitude, longitude: first.longitude,
            toLatitude: second.latitude, longitude: second.longitude)
    }

    /// Meters east and north of `origin` on a plane, accurate to 1e-4 within a few kilometers.
    static func offset(
        of point: (latitude: Double, longitude: Double),
        from origin: (latitude: Double, longitude: Double)
    ) -> SIMD2<Double> {
        let radians = Double.pi / 180
        var east = point.longitude - origin.longitude
        if east > 180 { east -= 360 } else if east < -180 { east += 360 }
        return SIMD2(
            east * radians * earthRadiusMeters * cos(origin.latitude * radians),
            (point.latitude - origin.latitude) * radians * earthRadiusMeters)
    }
}
