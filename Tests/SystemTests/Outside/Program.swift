import Foundation

/// The executable under test, run as from a shell or script.
enum Program {
    /// `PULSECAST_BINARY`, or the executable built with these tests.
    static let path: String = {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["PULSECAST_BINARY"], !path.isEmpty { return path }
        let bundle = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        return bundle.appending(path: "pulsecast").path
    }()

    /// Whether tests run in their long form.
    static let isLong = ProcessInfo.processInfo.environment["PULSECAST_LONG"] == "1"

    /// The repository that these tests are part of.
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    struct Outcome {
        let end: ChildProcess.End
        let output: String
        let complaint: String

        /// The JSON object that was printed.
        var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? [String: Any] ?? [:]
        }
    }

    /// Runs one command to its end.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], in folder: TemporaryFolder,
        withinSeconds seconds: Double = 120
    ) async throws -> Outcome {
        let process = try ChildProcess(
            path, arguments, environment: environment, in: folder)
        let end = try await process.waitForEnd(withinSeconds: seconds)
        return Outcome(end: end, output: process.output, complaint: process.complaint)
    }
}
