import Recordings
import SensorModel

@testable import struct Recordings.FITCheck

/// A file that somebody plays: read, or refused in a sentence.
enum FileTarget {
    static func run(_ bytes: [UInt8], name: String) {
        read(bytes, name: name)
        // A right check sum leads further in.
        if name.hasSuffix("fit"), bytes.count > 14 { read(mended(bytes), name: name) }
    }

    private static func read(_ bytes: [UInt8], name: String) {
        do throws(RecordingError) {
            let recording = try Recording.read(name: name, contents: .file(bytes))
            precondition(!recording.frames.isEmpty, "a recording of nothing")
            let pairs = zip(recording.frames, recording.frames.dropFirst())
            precondition(
                pairs.allSatisfy { $0.deviceTime <= $1.deviceTime }, "frames out of order")
        } catch {
            precondition(error.description.hasSuffix("."), "a refusal that is no sentence")
        }
    }

    private static func mended(_ bytes: [UInt8]) -> [UInt8] {
        var body = Array(bytes.dropLast(2))
        let size = body.count - 14 + 2
        body.replaceSubrange(
            0..<12,
            with: [12, 0x10, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
                + Array(".FIT".utf8))
        let check = FITCheck.value(of: body)
        return body + [UInt8(check & 0xFF), UInt8(check >> 8)]
    }

    static func seed(_ format: ExportFormat) -> [UInt8] {
        let start = BinaryTarget.arrival
        var session = RecordedSession(
            id: SessionID(high: 7, low: 9), device: "wrist", name: "Morning <run> & more",
            start: start, end: start.advanced(bySeconds: 8))
        for second in 0...8 {
            var point = SessionPoint(time: start.advanced(bySeconds: Double(second)))
            point.latitude = 48.1 + Double(second) * 1e-5
            point.longitude = 11.5
            point.altitudeMeters = 500
            point.heartRate = 140
            point.cadence = 170
            point.distanceMeters = Double(second) * 3
            point.speedMetersPerSecond = 3
            session.points.append(point)
        }
        session.laps = [
            RecordedLap(start: start, end: start.advanced(bySeconds: 4), timerSeconds: 4)
        ]
        var export = SessionExport(format: format, session: session)
        export.finish()
        return export.takeBytes()
    }
}
