import Foundation
import Recordings
import Replay
import Runtime
import SensorModel

/// A recording that `analyze` has computed: a file, a folder, or a session of the log.
struct AnalyzedRecording {
    /// Format of the file, or `session`.
    let source: String
    let analysis: RecordingAnalysis
    /// Device time of the first record; `nil`: there is none.
    let start: Timestamp?

    /// - Parameters:
    ///   - recording: Path of a file or folder, or name of a session.
    ///   - place: The log that holds the session.
    ///   - placement: Where the sensor was worn; `nil`: as the profile says.
    /// - Throws: ``CommandFailure`` that says what is wrong with the recording.
    init(_ recording: String, in place: LogPlace, placement: RunnerProfile.Placement?) throws {
        var profile = RunnerProfile()
        let frames: [Frame]
        var imported: RecordingAnalysis.Imported?
        var course: Course?
        let isName = recording == "latest" || SessionPrefix(recording) != nil
        if isName, !FileManager.default.fileExists(atPath: recording) {
            let (session, reader) = try place.session(named: recording)
            let recorded = try SessionFrames(session, reader: reader)
            (frames, profile, source) = (recorded.frames, recorded.profile, "session")
            course = recorded.course
        } else {
            let recording = try RecordingFile.read(recording)
            recording.tellNotes()
            imported = RecordingAnalysis.Imported(
                refused: recording.refused.counts, dropped: recording.dropped.counts,
                replaced: recording.replaced.counts)
            (frames, source) = (recording.frames, recording.format.name)
        }
        if let placement { profile.placement = placement }
        var analysis = RecordingAnalysis(frames: frames, profile: profile, course: course)
        analysis.imported = imported
        self.analysis = analysis
        start = frames.first?.deviceTime
    }
}
