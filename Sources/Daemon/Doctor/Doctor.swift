public import Client
import Foundation
public import Runtime
public import SensorModel
import Transport

/// Checks the machine on which a daemon runs or will run. Changes nothing, except for a small file
/// that it writes and removes to time the disk.
public struct Doctor: Sendable {
    private let configuration: Configuration
    private let environment: [String: String]
    private let state: StateFolder
    private let trust: ClientTLS

    /// - Parameters:
    ///   - configuration: Configuration without errors.
    ///   - environment: Environment of the process, with systemd's variables.
    ///   - trust: What phones trust; tests have authorities of their own.
    public init(
        _ configuration: Configuration, environment: [String: String],
        trust: ClientTLS = ClientTLS()
    ) {
        self.configuration = configuration
        self.trust = trust
        self.environment = environment
        let isInstalled = FileManager.default.fileExists(atPath: StateFolder.standard)
        // A terminal has no STATE_DIRECTORY: the state folder of the installed daemon is meant.
        let standard = isInstalled && environment["STATE_DIRECTORY"] == nil
        state = StateFolder(
            configured: configuration.stateDirectory.isEmpty && standard
                ? StateFolder.standard : configuration.stateDirectory,
            environment: environment)
    }

    /// - Parameter now: Wall clock.
    /// - Returns: One or more findings of every check, in a fixed order.
    public func findings(at now: Timestamp) async -> [Finding] {
        await ports() + [clock(at: now)] + disk() + certificate(at: now)
            + [await phones(at: now), fileLimit()]
            + [
                DoctorThresholds.eventLoops(
                    configuration.eventLoops, processors: Processors.count),
                DoctorThresholds.memory(MemoryBudget(configuration)),
            ] + permissions() + agreement()
    }

    // MARK: - Registry and log

    /// Requests the comparison from the daemon, which alone has both registry and log open.
    private func agreement() async -> [Finding] {
        guard let agreement = await answer(to: "/agreement", as: Agreement.self) else {
            return [.fine("registry and log", "not compared: no daemon answers at \(adminSocket)")]
        }
        return DoctorThresholds.agreement(agreement)
    }

    /// - Returns: `nil`: no daemon answers at the admin socket, which is a valid result.
    private func answer<Answer: Decodable>(
        to path: String, as _: Answer.Type
    ) async -> Answer? {
        let answer = try? await AdminClient(socketPath: adminSocket).send(.get, path)
        guard let answer, answer.status == 200 else { return nil }
        return try? JSONDecoder().decode(Answer.self, from: Data(answer.body))
    }

    // MARK: - Listeners

    private func ports() async -> [Finding] {
        let listeners = [
            ("device", configuration.device), ("http", configuration.httpListener),
            ("operations", configuration.operations),
        ]
        // Listeners of this state folder's daemon; another daemon may use the configured ports.
        let open = await answer(to: "/listeners", as: [String: String].self) ?? [:]
        let isRunning = await isRunning()
        var findings: [Finding] = []
        for (name, listener) in listeners {
            if let place = open[name] {
                findings.append(
                    DoctorThresholds.port(name, at: place, isFree: false, isRunning: true))
                continue
            }
            let isFree = await PortProbe.isFree(host: listener.host, port: listener.port)
            findings.append(
                DoctorThresholds.port(
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
        // A missing answer is a valid result.
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
        return DoctorThresholds.clock(year: year, isSynchronized: isSynchronized)
    }

    private func disk() -> [Finding] {
        let files = FileManager.default
        guard files.fileExists(atPath: state.path) else {
            return [.fine("disk", "\(state.path) is not there yet; the first start makes it")]
        }
        var findings: [Finding] = []
        if let free = state.freeBytes {
            findings.append(DoctorThresholds.diskSpace(freeBytes: free))
        }
        if let milliseconds = DiskTimer(folder: state.path).medianMilliseconds() {
            findings.append(DoctorThresholds.diskSpeed(milliseconds: milliseconds))
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
            let certificate = try ServerCertificate(file: path)
            return [
                DoctorThresholds.certificate(
                    expiry: certificate.notAfter, now: Int(now.secondsSince1970))
            ] + [DoctorThresholds.key(rsaBits: certificate.rsaBits)].compactMap { $0 }
        } catch {
            return [
                .problem("certificate", "\(error)", do: "set tls.certificate to a PEM file")
            ]
        }
    }

    private func phones(at now: Timestamp) async -> Finding {
        let files = PulsecastDaemon.certificateFiles(configuration, environment: environment)
        return await PhoneView(
            configuration: configuration, certificatePath: files.certificate, trust: trust
        ).finding(at: now)
    }

    private func fileLimit() -> Finding {
        // Columns: soft, hard, unit; a daemon raises the soft one. Without a value from the kernel
        // there is no warning.
        let path = "/proc/\(Self.runningDaemon() ?? "self")/limits"
        let limits = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        let hard = line?.split(separator: " ").dropFirst(4).first.flatMap { Int($0) }
        return DoctorThresholds.fileLimit(
            descriptors: hard ?? .max, connections: configuration.bounds.connectionsMax)
    }

    /// Process ID of a running `pulsecast serve`: its limits matter, not those of this terminal.
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
            return DoctorThresholds.privacy(of: path, mode: mode)
        }
    }

    private var adminSocket: String {
        var environment = environment
        // The value that systemd sets for the installed daemon.
        if state.path == StateFolder.standard, environment["RUNTIME_DIRECTORY"] == nil {
            environment["RUNTIME_DIRECTORY"] = StateFolder.runtime
        }
        return state.adminSocket(
            configured: configuration.adminSocket, environment: environment)
    }
}
