import Bytes
import SensorModel

/// Reads a ``Recording`` from the activities of a TCX file, or from its courses if it has none.
///
/// A course is a plan, but programs that convert files (GPSBabel) write runs as courses, too.
struct TCXReader {
    private var xml: XMLReader
    private var builder = RecordingBuilder(format: .tcx)
    private var laps: [Lap] = []
    private var lastPointTime: Timestamp?
    /// Number of tracks begun in the lap; `nil` once the newest has points.
    private var tracksBegun: Int?
    /// Number of courses begun: the track of each is what an activity has in laps.
    private var coursesBegun = 0

    private struct Lap {
        var lap: RecordedLap
        var manual: Bool
    }

    private init(_ bytes: [UInt8]) {
        xml = XMLReader(bytes)
    }

    static func read(_ bytes: [UInt8], _ itemsMax: Int) throws(RecordingError) -> Recording {
        var reader = TCXReader(bytes)
        reader.builder.itemsMax = itemsMax
        do throws(XMLProblem) {
            try reader.readDocument()
        } catch {
            throw .malformed(.tcx, byte: error.byte, problem: error.problem)
        }
        reader.closeLaps()
        reader.builder.convertCadence(onFoot: reader.builder.recording.sport != "cycling")
        return try reader.builder.finish()
    }

    private mutating func readDocument() throws(XMLProblem) {
        while let event = try xml.next() {
            guard case .start(let name, let attributes) = event else { continue }
            switch name {
            case "Activity":
                let sport = attributes.first { $0.name == "Sport" }?.value.lowercased()
                builder.recording.sport =
                    sport == "biking" ? "cycling" : sport == "" ? nil : sport
            case "Lap":
                let text = attributes.first { $0.name == "StartTime" }?.value ?? ""
                try readLap(start: Timestamp(looseISO8601: text))
            case "Creator": builder.set(source: try nameOfElement())
            case "Workouts": try xml.skipElement()
            case "Activities" where coursesBegun > 0: forgetCourses()
            case "Courses":
                if lastPointTime != nil || !laps.isEmpty { try xml.skipElement() }
            case "Course":
                coursesBegun += 1
                try readCourse()
            default: break
            }
        }
    }

    /// A plan before the run is no part of it.
    private mutating func forgetCourses() {
        builder = RecordingBuilder(format: .tcx)
        (lastPointTime, tracksBegun, coursesBegun) = (nil, nil, 0)
    }

    private mutating func readCourse() throws(XMLProblem) {
        tracksBegun = coursesBegun
        var depth = 1
        while depth > 0, let event = try xml.next() {
            switch event {
            case .start("Trackpoint", _): try readPoint()
            case .start("Lap", _), .start("CoursePoint", _): try xml.skipElement()
            case .start: depth += 1
            case .end: depth -= 1
            case .text: break
            }
        }
    }

    private mutating func readLap(start: Timestamp?) throws(XMLProblem) {
        var summary = RecordedLap(
            start: start ?? Recording.arbitraryStart, end: start ?? Recording.arbitraryStart)
        var manual = false
        var tracks = 0
        var depth = 1
        var unknown: String?
        while depth > 0, let event = try xml.next() {
            switch event {
            case .start(let name, _):
                switch name {
                case "Track":
                    tracks += 1
                    tracksBegun = tracks
                    depth += 1
                case "Trackpoint": try readPoint()
                case "TotalTimeSeconds":
                    summary.timerSeconds = NumberText.double(try xml.textOfElement())
                case "DistanceMeters":
                    summary.distanceMeters = NumberText.double(try xml.textOfElement())
                case "AverageHeartRateBpm":
                    summary.averageHeartRate = try value()
                case "TriggerMethod":
                    manual = try xml.textOfElement() == "Manual"
                default:
                    depth += 1
                    unknown = name
                }
            case .end:
                depth -= 1
                unknown = nil
            case .text(let text): builder.drop(unknown, of: "Lap", text)
            }
        }
        guard start != nil else { return builder.refuse("lap without a start") }
        summary.end = max(summary.start, lastPointTime ?? summary.start)
        laps.append(Lap(lap: summary, manual: manual))
    }

    private mutating func readPoint() throws(XMLProblem) {
        var point = TrackPoint()
        var depth = 1
        var unknown: String?
        while depth > 0, let event = try xml.next() {
            switch event {
            case .start(let name, _):
                switch name {
                case "Time": point.time = Timestamp(looseISO8601: try xml.textOfElement())
                case "LatitudeDegrees":
                    point.latitude = NumberText.double(try xml.textOfElement())
                case "LongitudeDegrees":
                    point.longitude = NumberText.double(try xml.textOfElement())
                case "AltitudeMeters": point.altitude = NumberText.double(try xml.textOfElement())
                case "DistanceMeters": point.distance = NumberText.double(try xml.textOfElement())
                case "HeartRateBpm": point.heartRate = try value()
                case "Cadence", "RunCadence":
                    point.cadence = NumberText.double(try xml.textOfElement()) ?? point.cadence
                case "Speed": point.speed = NumberText.double(try xml.textOfElement())
                case "Watts": point.power = NumberText.double(try xml.textOfElement())
                default:
                    depth += 1
                    unknown = name
                }
            case .end:
                depth -= 1
                unknown = nil
            case .text(let text): builder.drop(unknown, of: "Trackpoint", text)
            }
        }
        use(point)
    }

    private mutating func use(_ point: TrackPoint) {
        guard let time = point.time else { return builder.refuse("no time") }
        if let tracks = tracksBegun, let last = lastPointTime {
            // A lap's first track follows the previous lap after a short gap, which is not a pause.
            let gap = time.seconds(since: last)
            if gap > (tracks == 1 ? Self.lapChangeSeconds : 0) {
                // The file does not give the cause of the cut, so the pause is not a command.
                builder.addPause(start: last, end: time, automatic: true)
            }
        }
        tracksBegun = nil
        lastPointTime = time
        builder.add(point, at: time)
    }

    private static let lapChangeSeconds = 10.0

    /// Reads `<Creator><Name>Forerunner305</Name>…</Creator>`.
    private mutating func nameOfElement() throws(XMLProblem) -> String? {
        var result: String?
        var depth = 1
        while depth > 0, let event = try xml.next() {
            switch event {
            case .start("Name", _):
                let text = try xml.textOfElement()
                result = result ?? text
            case .start: depth += 1
            case .end: depth -= 1
            case .text: break
            }
        }
        return result
    }

    /// Reads `<AverageHeartRateBpm><Value>140</Value></AverageHeartRateBpm>`.
    private mutating func value() throws(XMLProblem) -> Double? {
        var result: Double?
        while let event = try xml.next() {
            switch event {
            case .start(let name, _):
                let text = try xml.textOfElement()
                if name == "Value" { result = NumberText.double(text) }
            case .end: return result
            case .text: break
            }
        }
        return result
    }

    private mutating func closeLaps() {
        var timer = 0.0
        var distance = 0.0
        for (index, lap) in laps.enumerated() {
            builder.recording.laps.append(lap.lap)
            timer += lap.lap.timerSeconds ?? 0
            distance += lap.lap.distanceMeters ?? 0
            guard lap.manual, index + 1 < laps.count else { continue }
            builder.add(.control(.lap), at: lap.lap.end)
        }
        guard !laps.isEmpty else { return }
        builder.recording.totals.timerSeconds = timer
        builder.recording.totals.distanceMeters = distance
    }
}
