import Crypto
import Foundation
public import SensorModel

/// A self-signed certificate for a first start with TLS: a P-256 key, and the names and addresses
/// it is valid for. Clients must be told to trust it.
public struct SelfSignedCertificate: Sendable {
    public let certificatePEM: String
    public let keyPEM: String

    private enum Identifier {
        static let ecdsaWithSHA256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
        static let commonName: [UInt8] = [0x55, 0x04, 0x03]
        static let basicConstraints: [UInt8] = [0x55, 0x1D, 0x13]
        static let alternativeNames: [UInt8] = [0x55, 0x1D, 0x11]
        static let extendedKeyUsage: [UInt8] = [0x55, 0x1D, 0x25]
        static let serverAuthentication: [UInt8] = [
            0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01,
        ]
    }

    /// - Parameters:
    ///   - names: Host names and addresses, at least one.
    ///   - from: Start of the validity.
    ///   - days: Length of the validity.
    ///   - generator: Source of the serial number; the key has its own randomness.
    /// - Throws: Errors of the cryptography library.
    public init(
        names: [String], from: Timestamp, days: Int,
        using generator: inout some RandomNumberGenerator
    ) throws {
        let key = P256.Signing.PrivateKey()
        let serial = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let until = from.advanced(bySeconds: Double(days) * 86_400)
        let algorithm = DER.sequence(DER.identifier(Identifier.ecdsaWithSHA256))
        let name = Self.name(names.first ?? "pulsecast")
        let body = DER.sequence(
            DER.element(0xA0, DER.integer([2])), DER.integer(serial), algorithm, name,
            DER.sequence(Self.time(from), Self.time(until)), name,
            Array(key.publicKey.derRepresentation),
            DER.element(0xA3, Self.extensions(names)))
        let signature = try key.signature(for: body).derRepresentation
        let certificate = DER.sequence(body, algorithm, DER.bits(Array(signature)))
        certificatePEM = Self.pem("CERTIFICATE", certificate)
        keyPEM = key.pemRepresentation + "\n"
    }

    private static func name(_ text: String) -> [UInt8] {
        let attribute = DER.sequence(DER.identifier(Identifier.commonName), DER.text(text))
        return DER.sequence(DER.element(0x31, attribute))
    }

    private static func extensions(_ names: [String]) -> [UInt8] {
        let isTrue = DER.element(0x01, [0xFF])
        let alternatives = names.map(alternative)
        return DER.sequence(
            DER.sequence(
                DER.identifier(Identifier.basicConstraints), isTrue,
                DER.octets(DER.sequence(isTrue))),
            DER.sequence(
                DER.identifier(Identifier.extendedKeyUsage),
                DER.octets(DER.sequence(DER.identifier(Identifier.serverAuthentication)))),
            DER.sequence(
                DER.identifier(Identifier.alternativeNames),
                DER.octets(DER.element(0x30, alternatives.flatMap { $0 }))))
    }

    private static func alternative(_ name: String) -> [UInt8] {
        if let address = address(name) { return DER.element(0x87, address) }
        return DER.element(0x82, Array(name.utf8))
    }

    /// The bytes of an IPv4 or IPv6 address; `nil` for a name.
    static func address(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { UInt8($0) }
        if parts.count == 4, bytes.count == 4 { return bytes }
        guard text.contains(":") else { return nil }
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        let words = halves.map { half in
            half.split(separator: ":").map { UInt16($0, radix: 16) }
        }
        guard halves.count <= 2, words.joined().allSatisfy({ $0 != nil }) else { return nil }
        let front = words[0].compactMap { $0 }
        let back = halves.count == 2 ? words[1].compactMap { $0 } : []
        let missing = 8 - front.count - back.count
        guard halves.count == 2 ? missing > 0 : missing == 0 else { return nil }
        let all = front + Array(repeating: 0, count: missing) + back
        return all.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    /// UTCTime up to 2049, GeneralizedTime after it.
    private static func time(_ time: Timestamp) -> [UInt8] {
        let date = Date(timeIntervalSince1970: time.secondsSince1970.rounded(.down))
        let digits = date.formatted(.iso8601).filter(\.isNumber)
        let year = Int(digits.prefix(4)) ?? 0
        return year < 2050
            ? DER.element(0x17, Array((digits.dropFirst(2) + "Z").utf8))
            : DER.element(0x18, Array((digits + "Z").utf8))
    }

    private static func pem(_ label: String, _ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString(
            options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"
    }
}
