import Bytes
import SensorModel

/// Reads a ``Recording`` from the tracks of a GPX file (1.0 or 1.1).
///
/// Heart rate and cadence come from `TrackPointExtension` v1 or v2, or from any extension with the
/// same element names, because every watch maker nests them differently.
struct GPXReader {
    private var xml: XMLReader
    private var builder = RecordingBuilder(format: .gpx)
    private var lastPointTime: Timestamp?
    private var segmentBegins = false

    private init(_ bytes: [UInt8]) {
        xml = XMLReader(bytes)
    }

    static func read(_ bytes: [UInt8], _ itemsMax: Int) throws(RecordingError) -> Recording {
        var reader = GPXReader(bytes)
        reader.builder.itemsMax = itemsMax
        do throws(XMLProblem) {
            try reader.readDocument()
        } catch {
            throw .malformed(.gpx, byte: error.byte, problem: error.problem)
        }
        let sport = reader.builder.recording.sport
        reader.builder.convertCadence(onFoot: sport != "cycling" && sport != "biking")
        return try reader.builder.finish()
    }

    private mutating func readDocument() throws(XMLProblem) {
        while let event = try xml.next() {
            guard case .start(let name, let attributes) = event else { continue }
            switch name {
            case "gpx": builder.set(source: attributes.first { $0.name == "creator" }?.value)
            case "trkpt": try readPoint(attributes)
            case "trkseg": segmentBegins = true
            case "wpt", "rtept":
                builder.refuse("not part of a track")
                try xml.skipElement()
            case "author", "link", "copyright":
                try xml.skipElement()
            case "name":
                let text = try xml.textOfElement()
                if builder.recording.name == nil, !text.isEmpty { builder.recording.name = text }
            case "type":
                let text = try xml.textOfElement()
                if builder.recording.sport == nil { builder.recording.sport = Self.sport(text) }
            default: break
            }
        }
    }

    private mutating func readPoint(_ attributes: [XMLAttribute]) throws(XMLProblem) {
        var point = TrackPoint()
        point.latitude = attributes.first { $0.name == "lat" }.flatMap {
            NumberText.double($0.value)
        }
        point.longitude = attributes.first { $0.name == "lon" }.flatMap {
            NumberText.double($0.value)
        }
        var depth = 1
        var unknown: String?
        while depth > 0, let event = try xml.next() {
            switch event {
            case .start(let name, _):
                if TrackPoint.fields.contains(name) {
                    point.set(name, try xml.textOfElement())
                } else {
                    depth += 1
                    unknown = name
                }
            case .end:
                depth -= 1
                unknown = nil
            case .text(let text): builder.drop(unknown, of: "trkpt", text)
            }
        }
        guard let time = point.time else { return builder.refuse("no time") }
        if segmentBegins, let last = lastPointTime, time > last {
            // The file does not give the cause of the cut, so the pause is not a command.
            builder.addPause(start: last, end: time, automatic: true)
        }
        segmentBegins = false
        lastPointTime = time
        builder.add(point, at: time)
    }

    /// Returns the sport's name. Strava writes numbers: 9 is a run, 1 a ride.
    private static func sport(_ text: String) -> String? {
        switch text {
        case "": nil
        case "9": "running"
        case "1": "cycling"
        default: text.lowercased()
        }
    }
}

/// A point of a GPX or TCX track, as text.
struct TrackPoint {
    var time: Timestamp?
    var latitude: Double?
    var longitude: Double?
    var altitude: Double?
    var heartRate: Double?
    /// Cadence in the unit of the file.
    var cadence: Double?
    var speed: Double?
    var course: Double?
    var distance: Double?
    var power: Double?

    static let fields: Set<String> = [
        "ele", "time", "hr", "heartrate", "cad", "cadence", "speed", "course", "distance", "power",
        "PowerInWatts",
    ]

    mutating func set(_ name: String, _ text: String) {
        if name == "time" {
            time = Timestamp(looseISO8601: text)
            return
        }
        let value = NumberText.double(text)
        switch name {
        case "ele": altitude = value
        case "hr", "heartrate": heartRate = value ?? heartRate
        case "cad", "cadence": cadence = value ?? cadence
        case "speed": speed = value
        case "course": course = value
        case "distance": distance = value
        case "power", "PowerInWatts": power = value ?? power
        default: break
        }
    }
}

extension RecordingBuilder {
    /// Counts a value that no reader uses.
    mutating func drop(_ element: String?, of parent: String, _ text: String) {
        guard let element, text.contains(where: { !$0.isWhitespace }) else { return }
        recording.dropped.add("\(parent).\(element.cleaned(bytesMax: 40))")
    }

    mutating func set(source name: String?) {
        let cleaned = name?.cleaned(bytesMax: Limits.sourceBytesMax) ?? ""
        if !cleaned.isEmpty { source = cleaned }
    }

    mutating func add(_ point: TrackPoint, at time: Timestamp) {
        follow(time)
        if let latitude = point.latitude, let longitude = point.longitude {
            addLocation(
                PositionFix(
                    latitude: latitude, longitude: longitude, altitude: point.altitude,
                    speed: point.speed, course: point.course),
                at: time)
        }
        if let rate = point.heartRate { addHeartRate(rate, at: time) }
        var values = MeasuredValues()
        values.set(.distance, to: point.distance, refusals: &recording.refused)
        values.set(.speed, to: point.speed, refusals: &recording.refused)
        values.set(.power, to: point.power, refusals: &recording.refused)
        add(values, cadence: point.cadence, at: time)
    }
}
