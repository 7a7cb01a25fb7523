import ArgumentParser
import Foundation
import Runtime
import SegmentLog
import SensorModel

/// Finds the segment of a record; records are looked up in the order of the log.
struct SegmentPlaces {
    private var rest: ArraySlice<SegmentSummary>

    init(_ segments: [SegmentSummary]) { rest = segments[...] }

    mutating func name(of offset: RecordOffset) -> String? {
        rest = rest.drop { $0.endOffset <= offset }
        return rest.first.flatMap { $0.firstOffset <= offset ? $0.name : nil }
    }
}

/// The log that a command reads.
struct LogPlace: ParsableArguments {
    @Option(
        name: .customLong("state"),
        help: .value("folder", "The state folder; found by itself otherwise."),
        completion: .directory)
    var stateFolder: String?

    @Flag(help: "Print facts as JSON.")
    var json = false

    /// - Returns: A reader of the folder's log.
    /// - Throws: ``CommandFailure`` if there is no log.
    func reader() throws -> LogReader {
        let path = Self.state(stateFolder).log
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                "there is no log at \(path): name the daemon's state folder with --state")
        }
        return try LogReader(disk: PosixDisk(path: path))
    }

    /// - Parameter text: A session's ID, a prefix of it, or `latest`.
    /// - Returns: The only matching session, and a reader of its log.
    /// - Throws: ``CommandFailure`` for an invalid text, for no matching session, and for several.
    func session(named text: String) throws -> (id: SessionID, reader: LogReader) {
        let prefix = SessionPrefix(text)
        guard prefix != nil || text == "latest" else {
            throw CommandFailure(
                "\(text) is no session: use its ID, the first \(SessionPrefix.digitsMin) digits of"
                    + " it or more, or latest", status: ExitStatus.wrongUse)
        }
        let reader = try reader()
        if let id = SessionID(text) { return (id, reader) }
        let sessions = reader.sessions()
        guard let prefix else {
            guard let newest = sessions.last else { throw CommandFailure("the log is empty") }
            return (newest.session, reader)
        }
        let found = sessions.filter { prefix.matches($0.session) }
        guard let first = found.first else {
            throw CommandFailure("no session's ID begins with \(text)")
        }
        guard found.count == 1 else {
            throw CommandFailure("\(found.count) sessions' IDs begin with \(text): give more of it")
        }
        return (first.session, reader)
    }

    /// The named folder; without one, the daemon's standard folder.
    static func state(_ folder: String?) -> StateFolder {
        let environment = ProcessInfo.processInfo.environment
        return StateFolder(
            configured: folder ?? Self.folder(environment: environment), environment: environment)
    }

    private static func folder(environment: [String: String]) -> String {
        if let state = environment["STATE_DIRECTORY"], !state.isEmpty { return state }
        let hasStandard = FileManager.default.fileExists(atPath: StateFolder.standard + "/log")
        return hasStandard ? StateFolder.standard : "./pulsecast-data"
    }
}
