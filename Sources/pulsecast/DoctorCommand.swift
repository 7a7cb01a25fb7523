import ArgumentParser
import Daemon
import Foundation
import Runtime

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Looks at ports, clock, disk, certificate, limits, permissions, registry and log.",
        discussion: """
            Says what a phone will see at the address of the links, and what to do about each \
            finding. Ends with 1 if something is a problem.

            Example:
              pulsecast doctor --config /etc/pulsecast/pulsecast.yaml
            """)

    @Option(help: .value("path", "The configuration file."), completion: .file())
    var config: String?
    @Option(
        name: .customLong("state"), help: .value("folder", "The state folder."),
        completion: .directory)
    var stateFolder: String?
    @Flag(help: "Print the findings as a JSON array.") var json = false

    @Flag(help: "Say that this log and this registry belong together from now on.")
    var acceptLog = false

    func run() async throws {
        if acceptLog {
            var admin = AdminOptions()
            admin.adminSocket = nil
            admin.stateFolder = stateFolder
            admin.json = json
            _ = try await admin.ask("POST", "/agreement/accept-log")
        }
        let findings = await Doctor(
            try configuration(), environment: ProcessInfo.processInfo.environment
        ).findings(at: WallClock.now())
        if json {
            try Terminal.say(encoded: findings)
        } else {
            for finding in findings {
                Terminal.say("\(finding.verdict.rawValue): \(finding.check): \(finding.found)")
                if !finding.advice.isEmpty { Terminal.say("    \(finding.advice)") }
            }
        }
        let problems = findings.count { $0.verdict == .problem }
        guard problems == 0 else { throw CommandFailure("\(problems) problem(s)") }
    }

    private func configuration() throws -> Configuration {
        do {
            var loader = try ConfigurationFiles.loader(file: config)
            if let stateFolder {
                loader.add(flag: "--state", key: "state.directory", value: stateFolder)
            }
            return try LoadedConfiguration(loader).configuration
        } catch {
            throw CommandFailure("\(error)", status: ExitStatus.wrongUse)
        }
    }
}
