import Client
import Runtime
import SensorModel
import Transport

/// What a phone meets at the address that links begin with.
struct PhoneView {
    /// A certificate as a phone judges it.
    enum Certificate: Hashable {
        /// Seconds since 1970 of its end.
        case trusted(until: Int)
        case refused(reason: String)
        /// Sound as far as its file says; nothing could be asked whether an authority vouches for it.
        case unproven(until: Int)
        case noAnswer(reason: String)
    }

    let configuration: Configuration
    /// PEM file of the daemon's own certificate.
    let certificatePath: String
    /// What phones trust: the system's authorities, or those of a test.
    let trust: ClientTLS

    /// Links to shares begin with this.
    var url: String {
        if !configuration.http.publicURL.isEmpty { return configuration.http.publicURL }
        let listener = configuration.httpListener
        let host = listener.host.contains(":") ? "[\(listener.host)]" : listener.host
        return "\(listener.tls ? "https" : "http")://\(host):\(listener.port)"
    }

    /// - Parameter now: Wall clock.
    /// - Returns: One finding.
    func finding(at now: Timestamp) async -> Finding {
        guard let address = try? ServerAddress(url) else {
            return .problem(
                "phones", "links begin with \(url), which is no address",
                do: "set http.public_url, as https://run.example.org")
        }
        if let finding = DoctorThresholds.phones(address: address, url: url) { return finding }
        return DoctorThresholds.phones(
            url: url, certificate: await certificate(at: address, Int(now.secondsSince1970)),
            now: Int(now.secondsSince1970))
    }

    private func certificate(at address: ServerAddress, _ now: Int) async -> Certificate {
        do throws(ClientError) {
            // An answer of any status has come through a handshake with a certificate that is trusted.
            _ = try await HTTPClient(address, tls: trust).send(.head, "/")
        } catch .notTrusted(let reason, _) {
            return .refused(reason: reason)
        } catch {
            guard configuration.httpListener.tls else { return .noAnswer(reason: "\(error)") }
            return ownCertificate(for: address.host, at: now) ?? .noAnswer(reason: "\(error)")
        }
        let presented = await ServerCertificate.presented(at: address)
        return presented.map { .trusted(until: $0.notAfter) }
            ?? .noAnswer(reason: "it answers only now and then")
    }

    /// The file's certificate, while nothing answers; `nil`: it cannot be read, which another check
    /// says.
    private func ownCertificate(for host: String, at now: Int) -> Certificate? {
        guard let own = try? ServerCertificate(file: certificatePath) else { return nil }
        if let reason = own.flaw(for: host, at: now) { return .refused(reason: reason) }
        return .unproven(until: own.notAfter)
    }
}

extension DoctorThresholds {
    /// - Parameters:
    ///   - address: Where links lead.
    ///   - url: The same as links have it.
    /// - Returns: What is wrong with the address itself; `nil`: its certificate decides.
    static func phones(address: ServerAddress, url: String) -> Finding? {
        let https =
            "put a proxy with a certificate before the daemon (config/Caddyfile), or set http.tls;"
            + " then set http.public_url to the https address"
        let host = PeerAddress(address.host)
        if address.host == "localhost" || host?.isLoopback ?? false {
            return .warning(
                "phones", "links lead to \(url), which is this machine alone: no phone reaches it",
                do: https)
        }
        if host?.bytes.allSatisfy({ $0 == 0 }) ?? false {
            return .warning(
                "phones", "links lead to \(url), which is no address of any machine",
                do: "set http.public_url to what phones open, as https://run.example.org")
        }
        guard address.scheme != .https else { return nil }
        return .warning(
            "phones",
            "\(url) has no TLS: browsers give no position, motion or Bluetooth there, so the record"
                + " page will not measure",
            do: https)
    }

    /// - Parameters:
    ///   - url: The https address that links begin with.
    ///   - certificate: The certificate found there.
    ///   - now: Current time, seconds since 1970.
    /// - Returns: The finding.
    static func phones(url: String, certificate: PhoneView.Certificate, now: Int) -> Finding {
        switch certificate {
        case .trusted(let end):
            let day = ServerCertificate.day(end)
            guard end - now < 21 * 86_400 else {
                return .fine("phones", "\(url) with a certificate that phones trust, until \(day)")
            }
            return .warning(
                "phones", "\(url) has a certificate that phones trust only until \(day)",
                do: "see why it was not renewed by itself")
        case .refused(let reason):
            return .warning(
                "phones", "phones do not trust the certificate of \(url): \(reason)",
                do: "take a certificate of an authority that phones know: config/Caddyfile,"
                    + " config/nginx.conf.example and config/tailscale-certificate say how")
        case .unproven(let end):
            return .fine(
                "phones",
                "\(url) with a certificate until \(ServerCertificate.day(end)); run this again"
                    + " while the daemon runs to see whether phones trust it")
        case .noAnswer(let reason):
            return .warning(
                "phones", "\(url) is not to be seen from here: \(reason)",
                do: "see that its name, the router and the proxy lead to this daemon")
        }
    }
}
