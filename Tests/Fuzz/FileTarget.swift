import Recordings
import SensorModel

@testable import struct Recordings.FITCheck

/// A recording file from a user: it is read, or refused with a sentence.
enum FileTarget {
    static func run(_ bytes: [UInt8], name: String) {
        read(bytes, name: name)
        // A correct checksum lets the input reach more code.
        if name.hasSuffix("fit"), bytes.count > 14 { read(mended(bytes), name: name) }
    }

    private static func read(_ bytes: [UInt8], name: String) {
        do throws(RecordingError) {
            let recording = try Recording.read(name: name, contents: .file(bytes))
            precondition(!recording.frames.isEmpty, "a recording of nothing")
            let pairs = zip(recording.frames, recording.frames.dropFirst())
            precondition(
                pairs.allSatisfy { $0.deviceTime <= $1.deviceTime }, "frames out of order")
            if recording.format == .fit { exportAgain(recording) }
        } catch {
            precondition(error.description.hasSuffix("."), "a refusal that is no sentence")
        }
    }

    /// Checks that a FIT file's unknown content can be exported to a FIT file of similar size.
    private static func exportAgain(_ recording: Recording) {
        let kept = recording.frames.reduce(0) { bytes, frame in
            guard case .foreign(let messages) = frame.payload else { return bytes }
            precondition(messages.bytes.count <= ForeignMessages.bytesMax, "no frame")
            return bytes + messages.bytes.count
        }
        precondition(kept <= RecordedSession.foreignBytesMax, "a file that fills the log")
        var builder = RecordedSessionBuilder(id: SessionID(high: 7, low: 9), device: "wrist")
        for frame in recording.frames { builder.take(frame) }
        var export = SessionExport(format: .fit, session: builder.finish())
        export.finish()
        do throws(RecordingError) {
            let again = try Recording.read(
                name: "b.fit", contents: .file(export.takeBytes()))
            precondition(!again.frames.isEmpty, "an export of nothing")
        } catch { preconditionFailure("an export that cannot be read: \(error)") }
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

    /// A FIT file with sensor values, heartbeats and a manufacturer-specific message.
    static var sensedSeed: [UInt8] {
        let start = BinaryTarget.arrival
        var builder = RecordedSessionBuilder(id: SessionID(high: 7, low: 9), device: "wrist")
        for second in 0..<4 {
            var pod = MeasuredValues(source: "pod", placement: .foot)
            let time = start.advanced(bySeconds: Double(second))
            guard (try? pod.set(.cadence, to: 171.5)) != nil,
                (try? pod.set(.power, to: 250)) != nil,
                let rate = try? HeartRateSample(beatsPerMinute: 141, rrIntervals: [420, 431])
            else { return [] }
            for payload in [Frame.Payload.heartRate(rate), .measured(pod)] {
                builder.take(Frame(sequence: .none, deviceTime: time, payload: payload))
            }
        }
        let foreign = ForeignMessages(
            format: .fit, bytes: [0x40, 0, 0, 140, 0, 1, 4, 1, 2, 0, 50, 0, 51])
        builder.take(Frame(sequence: .none, deviceTime: start, payload: .foreign(foreign)))
        var export = SessionExport(format: .fit, session: builder.finish())
        export.finish()
        return export.takeBytes()
    }
}
