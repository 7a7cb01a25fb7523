import Foundation
import Glibc
import Synchronization

/// A child process with output in files, which is waited for and ended by its ID.
final class ChildProcess: Sendable {
    enum End: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    struct NoOutputFile: Error {}

    struct StillRunning: Error {
        let name: String
        let seconds: Double
    }

    private let process: Process
    private let end = Ending()
    private let outputPath: String
    private let complaintPath: String

    var id: pid_t { process.processIdentifier }
    var output: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }
    var complaint: String { (try? String(contentsOfFile: complaintPath, encoding: .utf8)) ?? "" }
    var isRunning: Bool { end.value.withLock { $0 == nil } }

    /// - Parameters:
    ///   - executable: Path of the executable.
    ///   - arguments: Arguments without the executable's name.
    ///   - environment: Replacements for inherited variables.
    ///   - folder: Folder of the output, and working directory.
    /// - Throws: The reason why it did not start.
    init(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:],
        in folder: TemporaryFolder
    ) throws {
        let stem = folder.file("out-" + String(UInt32.random(in: 0 ... .max), radix: 36))
        outputPath = stem + ".out"
        complaintPath = stem + ".err"
        let output = try Self.newFile(at: outputPath)
        let complaint = try Self.newFile(at: complaintPath)
        // The process has its own copies. Foundation keeps these open after its end.
        defer {
            try? output.close()
            try? complaint.close()
        }
        process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.environment = Self.environment.merging(environment) { _, new in new }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = complaint
        process.terminationHandler = { [end] process in
            let status = process.terminationStatus
            let isSignal = process.terminationReason == .uncaughtSignal
            end.value.withLock { $0 = isSignal ? .killed(signal: status) : .exited(status) }
        }
        try process.run()
    }

    private static func newFile(at path: String) throws -> FileHandle {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw NoOutputFile() }
        return file
    }

    /// An environment without this machine's settings, and without backtraces for killed processes.
    private static var environment: [String: String] {
        var own = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PULSECAST_") }
        own["SWIFT_BACKTRACE"] = "enable=no"
        for name in ["STATE_DIRECTORY", "RUNTIME_DIRECTORY", "CREDENTIALS_DIRECTORY"] {
            own[name] = nil
        }
        return own
    }

    func signal(_ number: Int32) {
        // After a failed start the ID is 0, and a signal would go to this process group.
        if isRunning, id > 0 { kill(id, number) }
    }

    /// Waits, for a bounded time, until the program has complained of something: its lines are
    /// written by a thread of their own.
    ///
    /// - Returns: All complaints so far.
    func complaint(with text: String) async throws -> String {
        for _ in 0..<1000 where !complaint.contains(text) {
            try await Task.sleep(for: .milliseconds(10))
        }
        return complaint
    }

    /// - Throws: ``StillRunning`` if the process did not end by itself; it is killed first.
    @discardableResult
    func waitForEnd(withinSeconds seconds: Double = 120) async throws -> End {
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(seconds) {
            if let end = end.value.withLock({ $0 }) { return end }
            try await Task.sleep(for: .milliseconds(5))
        }
        signal(SIGKILL)
        throw StillRunning(name: process.arguments?.joined(separator: " ") ?? "", seconds: seconds)
    }

    deinit {
        signal(SIGKILL)
    }
}

/// The end status of a process, once it has ended.
private final class Ending: Sendable {
    let value = Mutex<ChildProcess.End?>(nil)
}
