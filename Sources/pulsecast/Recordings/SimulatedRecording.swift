import Foundation
import Recordings
import Replay
import SensorModel
import Simulator

/// A seeded run as a recording of another tool's format, with the results of the processors.
struct SimulatedRecording {
    /// Formats with distinct file extensions.
    private static let formats = ExportFormat.allCases.filter { $0 != .motionCSV }

    private let format: ExportFormat
    private let path: String

    /// - Parameter path: Path of the file; its extension names the format.
    /// - Throws: ``CommandFailure`` for an unknown extension.
    init(path: String) throws {
        let ending = URL(fileURLWithPath: path).pathExtension.lowercased()
        guard let format = Self.formats.first(where: { $0.fileExtension == ending }) else {
            throw CommandFailure(
                "\(path) does not end with a format: use one of"
                    + " \(Self.formats.map { "." + $0.fileExtension }.joined(separator: ", "))",
                status: ExitStatus.wrongUse)
        }
        self.format = format
        self.path = path
    }

    /// Creates the file; an existing one stays unchanged.
    ///
    /// - Returns: Bytes written.
    /// - Throws: ``CommandFailure`` that says why it cannot be created.
    func write(_ frames: [Frame]) throws -> Int {
        let file = URL(fileURLWithPath: path)
        let folder = file.deletingLastPathComponent().path
        // This check comes first: computing a long run takes seconds.
        guard FileManager.default.fileExists(atPath: folder) else {
            throw CommandFailure("there is no folder \(folder) for \(path): make it first")
        }
        guard !FileManager.default.fileExists(atPath: path) else { throw exists }
        let data = Data(bytes(of: frames))
        do {
            try data.write(to: file, options: .withoutOverwriting)
        } catch CocoaError.fileWriteFileExists {
            throw exists
        } catch {
            throw CommandFailure("\(path) cannot be written: \(error.localizedDescription)")
        }
        return data.count
    }

    private var exists: CommandFailure {
        CommandFailure("\(path) is there: name a file that is not, or remove it first")
    }

    private func bytes(of frames: [Frame]) -> [UInt8] {
        var export = SessionExport(format: format, session: Self.session(of: frames))
        var bytes = export.takeBytes()
        if export.readsFrames {
            for frame in frames {
                export.append(frame, arrivalTime: frame.deviceTime)
                bytes += export.takeBytes()
            }
        }
        export.finish()
        return bytes + export.takeBytes()
    }

    private static func session(of frames: [Frame]) -> RecordedSession {
        let analysis = RecordingAnalysis(frames: frames, profile: RunnerProfile())
        let start = frames.first?.deviceTime ?? Timestamp(microseconds: 0)
        let seconds = analysis.series.map { row in
            StreamEvent(
                deviceTime: start.advanced(bySeconds: row.t), kind: .metrics(row.metrics))
        }
        // The formats need an ID, which differs between runs of different times.
        var builder = RecordedSessionBuilder(
            id: SessionID(high: UInt64(bitPattern: start.microseconds), low: UInt64(frames.count)),
            device: "simulated")
        for frame in frames { builder.take(frame) }
        for event in (seconds + analysis.events).sorted(by: { $0.deviceTime < $1.deviceTime }) {
            builder.take(event, arrivalTime: event.deviceTime)
        }
        return builder.finish()
    }
}
