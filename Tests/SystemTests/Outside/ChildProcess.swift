import Foundation
import Glibc
import Synchronization

/// A process of ours: its output goes to files, its end is waited for, and it is ended by its id.
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
    ///   - executable: A path.
    ///   - arguments: Without the executable's name.
    ///   - environment: Instead of what is inherited under these names.
    ///   - folder: For its output, and to run in.
    /// - Throws: What kept it from starting.
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

    /// Nothing of this machine's own settings, and no backtrace of a process that we kill.
    private static var environment: [String: String] {
        var own = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PULSECAST_") }
        own["SWIFT_BACKTRACE"] = "enable=no"
        for name in ["STATE_DIRECTORY", "RUNTIME_DIRECTORY", "CREDENTIALS_DIRECTORY"] {
            own[name] = nil
        }
        return own
    }

    func signal(_ number: Int32) {
        // Without an ID, as after a start that failed, it would go to our own process group.
        if isRunning, id > 0 { kill(id, number) }
    }

    /// - Throws: ``StillRunning``, after it was killed, where it has not ended by itself.
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

/// How a process ended, once it has.
private final class Ending: Sendable {
    let value = Mutex<ChildProcess.End?>(nil)
}
