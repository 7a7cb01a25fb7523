public import SensorModel

/// The course of a session, in a record of the head's type; the first byte distinguishes them.
///
/// ```
/// u8 version, count points, each: counts latitude, longitude[, altitude], relative to the point
/// before; count checkpoints, each: text name, counts latitude, longitude
/// ```
/// Degrees are zigzag counts of 1e-7, altitudes of decimeters. No points: the course was removed.
/// Only a course with altitudes is written as ``versionWithAltitudes``, so that an older program
/// can still read the others.
public enum CourseCodec {
    /// A high number, different from every version of the head.
    static let version: UInt8 = 0xC1
    static let versionWithAltitudes: UInt8 = 0xC2
    private static let altitudeStepsPerMeter = 10.0

    /// Whether a payload of the head's record type is a course.
    public static func isCourse(_ payload: Span<UInt8>) -> Bool {
        !payload.isEmpty && (payload[0] == version || payload[0] == versionWithAltitudes)
    }

    /// - Parameters:
    ///   - course: The course; `nil`: removed.
    ///   - bytes: The payload is appended to it.
    public static func encode(_ course: Course?, to bytes: inout [UInt8]) {
        var writer = RecordWriter(bytes: [])
        swap(&writer.bytes, &bytes)
        let altitudes = course?.altitudes ?? []
        writer.byte(altitudes.isEmpty ? version : versionWithAltitudes)
        var last = GridPoint(latitude: 0, longitude: 0)
        var lastAltitude = 0
        writer.count(course?.points.count ?? 0)
        for (index, point) in (course?.points ?? []).enumerated() {
            let next = GridPoint(point)
            writer.count(zigzag(next.latitude - last.latitude))
            writer.count(zigzag(next.longitude - last.longitude))
            last = next
            guard !altitudes.isEmpty else { continue }
            let altitude = Int((altitudes[index] * altitudeStepsPerMeter).rounded())
            writer.count(zigzag(altitude - lastAltitude))
            lastAltitude = altitude
        }
        writer.count(course?.checkpoints.count ?? 0)
        for checkpoint in course?.checkpoints ?? [] {
            let place = GridPoint(checkpoint.place)
            writer.text(checkpoint.name)
            writer.count(zigzag(place.latitude))
            writer.count(zigzag(place.longitude))
        }
        swap(&writer.bytes, &bytes)
    }

    /// - Parameter bytes: The payload of one record.
    /// - Returns: The encoded course; `nil`: removed.
    /// - Throws: ``RecordRefusal`` for bytes that no version of this code writes.
    public static func decode(_ bytes: Span<UInt8>) throws(RecordRefusal) -> Course? {
        var reader = RecordReader()
        let found = try reader.byte(bytes)
        guard found == version || found == versionWithAltitudes else {
            throw .unknownVersion(found)
        }
        let hasAltitudes = found == versionWithAltitudes
        var points: [Course.Point] = []
        var altitudes: [Double] = []
        var last = GridPoint(latitude: 0, longitude: 0)
        var lastAltitude = 0
        for _ in 0..<(try reader.itemCount(bytes, bytesEach: hasAltitudes ? 3 : 2)) {
            last = try GridPoint(&reader, bytes, from: last)
            points.append(Course.Point(latitude: last.degrees.0, longitude: last.degrees.1))
            guard hasAltitudes else { continue }
            lastAltitude = try altitude(&reader, bytes, from: lastAltitude)
            altitudes.append(Double(lastAltitude) / altitudeStepsPerMeter)
        }
        var checkpoints: [Course.Checkpoint] = []
        for _ in 0..<(try reader.itemCount(bytes, bytesEach: 3)) {
            let name = try reader.text(bytes)
            let place = try GridPoint(
                &reader, bytes, from: GridPoint(latitude: 0, longitude: 0)
            ).degrees
            checkpoints.append(
                Course.Checkpoint(name: name, latitude: place.0, longitude: place.1))
        }
        try reader.end(bytes)
        guard points.count <= Course.pointsMax, checkpoints.count <= Course.checkpointsMax
        else { throw .unknownValue }
        return points.isEmpty
            ? nil : Course(points: points, altitudes: altitudes, checkpoints: checkpoints)
    }

    private static func altitude(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>, from last: Int
    ) throws(RecordRefusal) -> Int {
        let coded = try reader.count(bytes)
        guard coded >= 0, coded <= 1 << 20 else { throw .unknownValue }
        let value = last + (coded >> 1 ^ -(coded & 1))
        guard Course.altitudeRange.contains(Double(value) / altitudeStepsPerMeter) else {
            throw .unknownValue
        }
        return value
    }

    fileprivate static func zigzag(_ value: Int) -> Int { (value << 1) ^ (value >> 63) }
}

/// A position in whole steps of 1e-7 degrees.
private struct GridPoint {
    var latitude: Int
    var longitude: Int

    init(latitude: Int, longitude: Int) {
        self.latitude = latitude
        self.longitude = longitude
    }

    init(_ point: Course.Point) {
        latitude = Int((point.latitude * Course.stepsPerDegree).rounded())
        longitude = Int((point.longitude * Course.stepsPerDegree).rounded())
    }

    init(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>, from last: GridPoint
    ) throws(RecordRefusal) {
        latitude = try Self.step(&reader, bytes, from: last.latitude, within: 90)
        longitude = try Self.step(&reader, bytes, from: last.longitude, within: 180)
    }

    var degrees: (Double, Double) {
        (Double(latitude) / Course.stepsPerDegree, Double(longitude) / Course.stepsPerDegree)
    }

    private static func step(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>, from last: Int, within degrees: Double
    ) throws(RecordRefusal) -> Int {
        let coded = try reader.count(bytes)
        let bound = Int(degrees * Course.stepsPerDegree)
        guard coded >= 0, coded <= 4 * bound + 1 else { throw .unknownValue }
        let value = last + (coded >> 1 ^ -(coded & 1))
        guard abs(value) <= bound else { throw .unknownValue }
        return value
    }
}
