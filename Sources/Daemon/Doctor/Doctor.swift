import Foundation
public import SensorModel
import Transport

/// Looks at the machine a daemon runs on, or is to run on. Changes nothing but for a small file that
/// it writes and removes to time the disk.
public struct Doctor: Sendable {
    private let configuration: Configuration
    private let environment: [String: String]
    private let state: StateFolder

    /// - Parameters:
    ///   - configuration: Without errors.
    ///   - environment: The process's own; systemd's variables count.
    public init(_ configuration: Configuration, environment: [String: String]) {
        self.configuration = configuration
        self.environment = environment
        let isInstalled = FileManager.default.fileExists(atPath: StateFolder.standard)
        // A person at a terminal has no STATE_DIRECTORY: the installed daemon's is meant.
        let standard = isInstalled && environment["STATE_DIRECTORY"] == nil
        state = StateFolder(
            configured: configuration.stateDirectory.isEmpty && standard
                ? StateFolder.standard : configuration.stateDirectory,
            environment: environment)
    }

    /// - Parameter now: Wall clock.
    /// - Returns: One finding or more of every check, in a fixed order.
    public func findings(at now: Timestamp) async -> [Finding] {
        await ports() + [clock(at: now)] + disk() + certificate(at: now) + [fileLimit()]
            + [Judgement.memory(MemoryBudget(configuration))] + permissions() + agreement()
    }

    // MARK: - Registry and log

    /// Only the daemon that has both open can compare them.
    private func agreement() async -> [Finding] {
        // No answer is an answer here.
        let answer = try? await AdminClient(socketPath: adminSocket).send(.get, "/agreement")
        guard let answer, answer.status == 200,
            let agreement = try? JSONDecoder().decode(Agreement.self, from: Data(answer.body))
        else {
            return [.fine("registry and log", "not compared: no daemon answers at \(adminSocket)")]
        }
        return Judgement.agreement(agreement)
    }

    // MARK: - Doors

    private func ports() async -> [Finding] {
        let doors = [
            ("device", configuration.device), ("http", configuration.httpListener),
            ("operations", configuration.operations),
        ]
        let isRunning = await isRunning()
        var findings: [Finding] = []
        for (name, listener) in doors {
            let isFree = await PortProbe.isFree(host: listener.host, port: listener.port)
            findings.append(
                Judgement.port(
                    name, at: "\(listener.host):\(listener.port)", isFree: isFree,
                    isRunning: isRunning))
        }
        return findings
    }

    /// Whether a daemon answers on its operations port.
    private func isRunning() async -> Bool {
        let address = ServerAddress(
            scheme: .http, host: configuration.operations.host,
            port: configuration.operations.port, target: "/healthz")
        // No answer is an answer here.
        let answer = try? await HTTPClient(address).send(.get, "/healthz")
        return answer?.status == 200
    }

    // MARK: - Machine

    private func clock(at now: Timestamp) -> Finding {
        let files = FileManager.default
        let folder = "/run/systemd/timesync"
        let isSynchronized =
            files.fileExists(atPath: folder)
            ? files.fileExists(atPath: folder + "/synchronized") : nil
        let year = 1970 + Int(now.secondsSince1970 / 31_556_952)
        return Judgement.clock(year: year, isSynchronized: isSynchronized)
    }

    private func disk() -> [Finding] {
        let files = FileManager.default
        guard files.fileExists(atPath: state.path) else {
            return [.fine("disk", "\(state.path) is not there yet; the first start makes it")]
        }
        var findings: [Finding] = []
        let attributes = try? files.attributesOfFileSystem(forPath: state.path)
        if let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue {
            findings.append(Judgement.diskSpace(freeBytes: free))
        }
        if let milliseconds = DiskTimer(folder: state.path).medianMilliseconds() {
            findings.append(Judgement.diskSpeed(milliseconds: milliseconds))
        } else {
            findings.append(
                .problem(
                    "disk", "nothing can be written in \(state.path)",
                    do: "run this as the daemon's user or root; see whether it is read-only"))
        }
        return findings
    }

    private func certificate(at now: Timestamp) -> [Finding] {
        guard configuration.device.tls || configuration.httpListener.tls else { return [] }
        let path =
            PulsecastDaemon.certificateFiles(configuration, environment: environment).certificate
        do {
            let expiry = try TLSIdentity.expiry(ofCertificate: path)
            return [Judgement.certificate(expiry: expiry, now: Int(now.secondsSince1970))]
        } catch {
            return [
                .problem("certificate", "\(error)", do: "set tls.certificate to a PEM file")
            ]
        }
    }

    private func fileLimit() -> Finding {
        // Soft, hard, unit; where the kernel says nothing there is nothing to warn of.
        let path = "/proc/\(Self.runningDaemon() ?? "self")/limits"
        let limits = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        let soft = line?.split(separator: " ").dropFirst(3).first.flatMap { Int($0) }
        return Judgement.fileLimit(
            descriptors: soft ?? .max, connections: configuration.bounds.connectionsMax)
    }

    /// The number of a process that is `pulsecast serve`: its limits count, not this terminal's.
    private static func runningDaemon() -> String? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.first { name in
            guard name.allSatisfy(\.isNumber),
                let line = try? String(contentsOfFile: "/proc/\(name)/cmdline", encoding: .utf8)
            else { return false }
            let words = line.split(separator: "\0")
            return words.count > 1 && words[0].hasSuffix("pulsecast") && words[1] == "serve"
        }
    }

    private func permissions() -> [Finding] {
        let key =
            configuration.masterKeyFile.isEmpty ? state.masterKey : configuration.masterKeyFile
        return [state.path, key, adminSocket].map { path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue
            return Judgement.privacy(of: path, mode: mode)
        }
    }

    private var adminSocket: String {
        var environment = environment
        // As systemd would set it for the installed daemon.
        if state.path == StateFolder.standard, environment["RUNTIME_DIRECTORY"] == nil {
            environment["RUNTIME_DIRECTORY"] = StateFolder.runtime
        }
        return state.adminSocket(
            configured: configuration.adminSocket, environment: environment)
    }
}
