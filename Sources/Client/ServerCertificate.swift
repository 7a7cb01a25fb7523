import Foundation
import NIOCore
import NIOPosix
import NIOSSL
public import Transport

/// What a server's certificate says of itself, whoever vouches for it.
public struct ServerCertificate: Hashable, Sendable {
    /// Seconds since 1970.
    public let notBefore: Int
    /// Seconds since 1970.
    public let notAfter: Int
    /// Host names, also with a wildcard, and addresses.
    public let names: [String]
    public let isSelfSigned: Bool
    /// Bits of an RSA key, whose signatures cost a server much; `nil`: another kind of key.
    public let rsaBits: Int?

    /// - Parameter path: PEM, the server's own certificate first.
    /// - Throws: ``TransportError`` if it cannot be read.
    public init(file path: String) throws(TransportError) {
        do {
            guard let leaf = try NIOSSLCertificate.fromPEMFile(path).first else {
                throw TransportError.certificateUnusable(path: path, reason: "it is empty")
            }
            self.init(leaf)
        } catch let error as TransportError {
            throw error
        } catch {
            throw .certificateUnusable(path: path, reason: "\(error)")
        }
    }

    init(_ certificate: NIOSSLCertificate) {
        notBefore = Int(certificate.notValidBefore)
        notAfter = Int(certificate.notValidAfter)
        // A certificate that was parsed can be written.
        let bytes = (try? certificate.toDERBytes()) ?? []
        let body = DERElements(bytes[...]).first { _ in true }?.parts.first?.parts ?? []
        // An optional version, then: serial number, algorithm, issuer, validity, subject.
        let fields = body.first?.tag == 0xA0 ? Array(body.dropFirst()) : body
        isSelfSigned = fields.count > 4 && fields[2].content == fields[4].content
        rsaBits = fields.count > 5 ? Self.rsaBits(of: fields[5]) : nil
        names = body.last { $0.tag == 0xA3 }.map(Self.names) ?? []
    }

    /// - Parameter key: Its algorithm and, as a bit string, the key: for RSA modulus and exponent.
    /// - Returns: `nil`: another kind of key.
    private static func rsaBits(of key: DERElements.Element) -> Int? {
        let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        guard let algorithm = key.parts.first?.parts.first,
            algorithm.content.elementsEqual(rsaEncryption),
            let modulus = DERElements(key.parts.last?.content.dropFirst() ?? [])
                .first(where: { _ in true })?.parts.first
        else { return nil }
        return modulus.content.drop { $0 == 0 }.count * 8
    }

    private static func names(in extensions: DERElements.Element) -> [String] {
        let all = extensions.parts.first?.parts.map(\.parts) ?? []
        let found = all.first { $0.first?.content.elementsEqual([0x55, 0x1D, 0x11]) ?? false }
        return found?.last?.parts.first?.parts.compactMap { name in
            switch name.tag {
            case 0x82: String(decoding: name.content, as: UTF8.self)
            case 0x87: PeerAddress(bytes: Array(name.content)).map { "\($0)" }
            default: nil
            }
        } ?? []
    }

    // MARK: - Judging

    /// Whether it is valid for a host name or address.
    public func isFor(_ host: String) -> Bool {
        if let address = PeerAddress(host) { return names.contains { PeerAddress($0) == address } }
        let host = host.lowercased()
        return names.contains { name in
            let name = name.lowercased()
            // A wildcard stands for one label.
            return name == host
                || name.hasPrefix("*.") && host.drop { $0 != "." } == name.dropFirst()
        }
    }

    /// Why no client trusts it, as far as it says itself.
    ///
    /// - Parameters:
    ///   - host: Host that clients connect to.
    ///   - now: Seconds since 1970.
    /// - Returns: `nil`: an authority that the client knows must vouch for it.
    public func flaw(for host: String, at now: Int) -> String? {
        if let flaw = flaw(at: now) ?? nameFlaw(for: host) { return flaw.reason }
        return isSelfSigned ? "it vouches for itself" : nil
    }

    /// The error of a client that knows no other reason than that it does not trust this certificate.
    ///
    /// - Parameters:
    ///   - host: Host that the client connects to.
    ///   - ca: File of the authorities that the client was told to trust; `nil`: the system's.
    /// - Returns: The error.
    func distrust(for host: String, ca: String?) -> ClientError {
        let now = Int(Date().timeIntervalSince1970)
        if let flaw = flaw(at: now) ?? nameFlaw(for: host) {
            return .notTrusted(reason: flaw.reason, advice: flaw.advice)
        }
        guard let ca else {
            return .notTrusted(
                reason: isSelfSigned
                    ? "it vouches for itself" : "no authority that is trusted here vouches for it")
        }
        return .notTrusted(
            reason: "nothing in \(ca) vouches for it",
            advice: "name the file of its certificate or authority with --ca")
    }

    private func flaw(at now: Int) -> (reason: String, advice: String)? {
        if notAfter <= now {
            return ("it expired on \(Self.day(notAfter))", "renew it at the server")
        }
        guard notBefore > now else { return nil }
        return (
            "it is not valid before \(Self.day(notBefore))", "check the clocks of both machines"
        )
    }

    /// The first few names; a stranger chose them, so nothing but printable ASCII is told.
    private static func listed(_ names: [String]) -> String {
        let (most, charactersMax) = (5, 100)
        let shown = names.prefix(most).map { name in
            String(name.map { ("!"..."~").contains($0) ? $0 : "?" }.prefix(charactersMax))
        }
        let others = names.count - shown.count
        return shown.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
    }

    private func nameFlaw(for host: String) -> (reason: String, advice: String)? {
        guard !isFor(host) else { return nil }
        let all = names.isEmpty ? "no name" : Self.listed(names)
        return (
            "it is for \(all), not for \(host)",
            "connect to a name that it is for, or give the server one for \(host)"
        )
    }

    /// - Parameter seconds: Seconds since 1970.
    /// - Returns: The day in UTC.
    public static func day(_ seconds: Int) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601.year().month().day())
    }

    // MARK: - Asking a server

    /// Longest wait for a connection, and then for the certificate.
    private static let secondsMax: Int64 = 5

    /// Asks a server for its certificate, and trusts nothing.
    ///
    /// - Parameter address: With any scheme; a server with TLS may have been taken for one without.
    /// - Returns: `nil`: no server with TLS answers there within some seconds.
    public static func presented(at address: ServerAddress) async -> ServerCertificate? {
        guard address.scheme != .unix else { return nil }
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(secondsMax))
        let seen = try? await bootstrap.connect(
            host: address.host, port: address.port
        ) { channel in
            channel.eventLoop.makeCompletedFuture {
                let isName = PeerAddress(address.host) == nil
                let seen = channel.eventLoop.makePromise(of: ServerCertificate?.self)
                // A channel that never opens, as for a host that no server can have, fails it.
                channel.closeFuture.whenComplete { _ in seen.succeed(nil) }
                let handler = try NIOSSLClientHandler(
                    context: NIOSSLContext(configuration: .makeClientConfiguration()),
                    serverHostname: isName ? address.host : nil
                ) { (chain, verdict: EventLoopPromise<NIOSSLVerificationResult>) in
                    seen.succeed(chain.first.map(ServerCertificate.init))
                    // The handshake fails, which closes the connection.
                    verdict.succeed(.failed)
                }
                let wait = HandshakeWait(eventLoop: channel.eventLoop, secondsMax: secondsMax)
                try channel.pipeline.syncOperations.addHandlers(handler, wait)
                return seen.futureResult
            }
        }
        return (try? await seen?.get()) ?? nil
    }
}
