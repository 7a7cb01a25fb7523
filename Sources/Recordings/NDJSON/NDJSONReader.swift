import Bytes
import SensorModel

/// Reads a ``Recording`` from our NDJSON export: a session object, then one object per frame.
struct NDJSONReader {
    private var builder = RecordingBuilder(format: .ndjson)
    /// Maximum bytes of a line; the longest frame has about 10 KB.
    private static let lineBytesMax = 64 << 10

    static func read(_ bytes: [UInt8], _ itemsMax: Int) throws(RecordingError) -> Recording {
        var reader = NDJSONReader()
        reader.builder.itemsMax = itemsMax
        var rest = bytes[...]
        while !rest.isEmpty, !reader.builder.isFull {
            let line = rest.prefix { $0 != 0x0A }
            rest = rest.dropFirst(line.count + 1)
            reader.take(line: line)
        }
        return try reader.builder.finish()
    }

    private mutating func take(line: ArraySlice<UInt8>) {
        guard line.contains(where: { $0 > 0x20 }) else { return }
        guard line.count <= Self.lineBytesMax else { return refuse("a line that is too long") }
        do throws(JSONProblem) {
            take(try JSONValue(parsing: Array(line)))
        } catch {
            refuse("a line that is not JSON")
        }
    }

    /// Counts a line without usable values, because millions of them are too much, too.
    private mutating func refuse(_ reason: String) {
        builder.others += 1
        builder.refuse(reason)
    }

    private mutating func take(_ object: JSONValue) {
        let type = object["type"]?.string ?? ""
        switch type {
        case "session":
            builder.recording.name = object["name"]?.string
            builder.recording.sport = object["sport"]?.string
        case "lap": takeLap(object)
        case "pause": takePause(object)
        case "point": takePoint(object)
        case "split", "totals": break
        default:
            guard let time = object["timestamp"]?.time else { return refuse("no time") }
            builder.follow(time)
            builder.addFrame(object, type: type, at: time)
        }
    }
}

extension NDJSONReader {
    private mutating func takePoint(_ object: JSONValue) {
        guard let time = object["time"]?.time else { return }
        builder.add(
            DeviceValues(
                time: time, cadence: object["cadence"]?.double,
                distanceMeters: object["distanceMeters"]?.double,
                speedMetersPerSecond: object["speed"]?.double))
    }

    private mutating func takeLap(_ object: JSONValue) {
        guard let start = object["start"]?.time, let end = object["end"]?.time else { return }
        builder.recording.laps.append(
            RecordedLap(
                start: start, end: end, timerSeconds: object["timerSeconds"]?.double,
                distanceMeters: object["distanceMeters"]?.double,
                averageHeartRate: object["averageHeartRate"]?.double))
    }

    /// Adds a pause without control frames: the file itself contains those of manual pauses.
    private mutating func takePause(_ object: JSONValue) {
        guard let start = object["start"]?.time, let end = object["end"]?.time else { return }
        builder.recording.pauses.append(
            RecordedPause(
                start: start, end: end, automatic: object["automatic"]?.bool ?? true))
    }
}

extension JSONValue {
    /// Seconds since 1970.
    var time: Timestamp? {
        double.flatMap { Timestamp(secondsSince1970: $0) }
    }
}
