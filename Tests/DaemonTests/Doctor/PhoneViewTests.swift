import Client
import Daemon
import Foundation
import Runtime
import SensorModel
import Testing

/// What the doctor says of the address that phones open.
@Suite struct PhoneViewTests {
    private static func finding(
        _ publicURL: String, trust: ClientTLS = ClientTLS(), inDays days: Double = 0,
        _ change: (inout Configuration) -> Void = { _ in }
    ) async throws -> Finding {
        var configuration = Configuration()
        configuration.stateDirectory = RunningDaemon.newFolder()
        configuration.http.publicURL = publicURL
        change(&configuration)
        let now = WallClock.now().advanced(bySeconds: days * 86_400)
        let found = await Doctor(configuration, environment: [:], trust: trust).findings(at: now)
        return try #require(found.first { $0.check == "phones" })
    }

    @Test(arguments: ["", "http://localhost:7480", "https://127.0.0.1", "http://[::1]:7480"])
    func `An address of this machine alone is named as one that no phone reaches`(
        url: String
    ) async throws {
        let found = try await Self.finding(url)
        #expect(found.verdict == .warning)
        #expect(found.found.contains("no phone reaches it"), "\(found)")
        #expect(found.advice.contains("http.public_url"), "\(found)")
    }

    @Test func `Links to all addresses at once are named`() async throws {
        let found = try await Self.finding("") { $0.httpListener.host = "0.0.0.0" }
        #expect(found.verdict == .warning)
        #expect(found.advice.contains("http.public_url"), "\(found)")
    }

    @Test func `Without TLS the record page is said not to measure`() async throws {
        let found = try await Self.finding("http://192.168.1.5:7480")
        #expect(found.verdict == .warning)
        #expect(found.found.contains("record page will not measure"), "\(found)")
        #expect(found.advice.contains("https"), "\(found)")
    }

    @Test func `An address at which nothing answers is named`() async throws {
        let found = try await Self.finding("https://no-such-host.invalid")
        #expect(found.verdict == .warning)
        #expect(found.found.contains("not to be seen from here"), "\(found)")
    }

    /// A certificate in a new folder.
    private static func certificate(
        _ names: [String], days: Int = 90
    ) throws -> SelfSignedFiles {
        try SelfSignedFiles(in: RunningDaemon.newFolder() + "/tls", names: names, days: days)
    }

    @Test(arguments: [
        (["run.invalid"], 0.0, "it vouches for itself"),
        (["other.invalid"], 0, "it is for other.invalid, not for run.invalid"),
        (["run.invalid"], 91, "it expired on 2"), (["*.invalid"], 0, "it vouches for itself"),
    ])
    func `A flaw of the daemon's own certificate is named before it runs`(
        names: [String], days: Double, words: String
    ) async throws {
        let files = try Self.certificate(names)
        let found = try await Self.finding("https://run.invalid", inDays: days) {
            $0.httpListener.tls = true
            $0.certificateFile = files.certificatePath
            $0.privateKeyFile = files.keyPath
        }
        #expect(found.verdict == .warning)
        #expect(found.found.contains(words), "\(found)")
        #expect(found.advice.contains("Caddyfile"), "\(found)")
    }

    @Test func `A running daemon's certificate is judged as phones do`() async throws {
        // The name of this machine leads to it, and is no loopback address by itself.
        let host = ProcessInfo.processInfo.hostName
        let files = try Self.certificate([host, "localhost"])
        try await RunningDaemon.run({
            $0.httpListener.tls = true
            $0.httpListener.host = "0.0.0.0"
            $0.certificateFile = files.certificatePath
            $0.privateKeyFile = files.keyPath
        }) { running in
            let port = try #require(running.addresses["http"]?.split(separator: ":").last)
            let url = "https://\(host):\(port)"
            let refused = try await Self.finding(url)
            #expect(refused.verdict == .warning)
            #expect(refused.found.contains("it vouches for itself"), "\(refused)")
            let trust = ClientTLS(trustedCertificatesPath: files.certificatePath)
            let trusted = try await Self.finding(url, trust: trust)
            #expect(trusted.verdict == .fine)
            #expect(trusted.found.contains("that phones trust, until 2"), "\(trusted)")
            let ending = try await Self.finding(url, trust: trust, inDays: 80)
            #expect(ending.verdict == .warning)
            #expect(ending.found.contains("only until"), "\(ending)")
        }
    }
}
