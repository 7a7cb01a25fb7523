import Bytes

/// A course from a GPX file: the points of its track or route, and its named waypoints as
/// checkpoints. Times are optional.
public struct GPXCourse: Hashable, Sendable {
    public struct Point: Hashable, Sendable {
        /// Degrees.
        public var latitude: Double
        public var longitude: Double
        /// Meters; `nil` if the file has none.
        public var altitude: Double?
        /// Name of a waypoint or a route point.
        public var name: String?
    }

    /// Name of the course; `nil` if the file has none.
    public var name: String?
    /// Points in order, at least two.
    public var points: [Point]
    /// Waypoints, and route points with a name, in the file's order.
    public var checkpoints: [Point]

    /// Maximum number of points: enough for a hundred kilometers with a point each meter.
    public static let pointsMax = 100_000

    /// - Throws: ``RecordingError`` for bytes that are not GPX, have fewer than two points, or too
    ///   many.
    public static func read(_ bytes: [UInt8]) throws(RecordingError) -> GPXCourse {
        var reader = CourseReader(bytes)
        do throws(XMLProblem) {
            try reader.readDocument()
        } catch {
            throw .malformed(.gpx, byte: error.byte, problem: error.problem)
        }
        let points = reader.track.isEmpty ? reader.route : reader.track
        guard points.count >= 2 else {
            throw .malformed(.gpx, byte: 0, problem: "a course needs two points")
        }
        guard points.count <= pointsMax else {
            throw .malformed(.gpx, byte: 0, problem: "more than \(pointsMax) points")
        }
        let named = reader.route.filter { $0.name != nil }
        return GPXCourse(
            name: reader.name, points: points,
            checkpoints: reader.waypoints.filter { $0.name != nil } + named)
    }
}

private struct CourseReader {
    private var xml: XMLReader
    private(set) var name: String?
    private(set) var track: [GPXCourse.Point] = []
    private(set) var route: [GPXCourse.Point] = []
    private(set) var waypoints: [GPXCourse.Point] = []

    init(_ bytes: [UInt8]) {
        xml = XMLReader(bytes)
    }

    mutating func readDocument() throws(XMLProblem) {
        var isGPX = false
        while let event = try xml.next() {
            guard case .start(let element, let attributes) = event else { continue }
            if element == "gpx" { isGPX = true }
            guard isGPX else { throw xml.problem("no gpx element") }
            switch element {
            case "trkpt": if let point = try point(attributes) { track.append(point) }
            case "rtept": if let point = try point(attributes) { route.append(point) }
            case "wpt": if let point = try point(attributes) { waypoints.append(point) }
            case "author", "link", "copyright": try xml.skipElement()
            case "name":
                let text = try xml.textOfElement()
                name = name ?? (text.isEmpty ? nil : text)
            default: break
            }
        }
    }

    /// - Returns: The point; `nil` for an invalid position.
    private mutating func point(
        _ attributes: [XMLAttribute]
    ) throws(XMLProblem) -> GPXCourse.Point? {
        var altitude: Double?
        var name: String?
        var depth = 1
        while depth > 0, let event = try xml.next() {
            switch event {
            case .start("ele", _): altitude = NumberText.double(try xml.textOfElement())
            case .start("name", _): name = try xml.textOfElement()
            case .start: depth += 1
            case .end: depth -= 1
            case .text: break
            }
        }
        func degrees(_ name: String) -> Double? {
            attributes.first { $0.name == name }.flatMap { NumberText.double($0.value) }
        }
        guard let latitude = degrees("lat"), let longitude = degrees("lon"),
            (-90.0...90).contains(latitude), (-180.0...180).contains(longitude)
        else { return nil }
        return GPXCourse.Point(
            latitude: latitude, longitude: longitude, altitude: altitude,
            name: name == "" ? nil : name)
    }
}
