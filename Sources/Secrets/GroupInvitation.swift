import Bytes
public import SensorModel

/// Permission to join a group, for whoever holds its text. The text is sealed, so that nobody can
/// make one, and nothing of it has to be kept.
public struct GroupInvitation: Hashable, Sendable {
    public let group: ShareKey
    /// Of the group's link and its maker's token: a new one of either ends all invitations.
    public let hash: SecretHash
    public let expiresAt: Timestamp

    /// Longest text that is read.
    private static let textBytesMax = 256

    public init(group: ShareKey, hash: SecretHash, expiresAt: Timestamp) {
        self.group = group
        self.hash = hash
        self.expiresAt = expiresAt
    }

    /// `nil` if nobody here made it.
    ///
    /// - Parameters:
    ///   - text: What somebody holds for an invitation.
    ///   - key: The installation's key.
    public init?(_ text: String, sealedBy key: MasterKey) {
        guard text.utf8.count <= Self.textBytesMax, let sealed = TextForm.bytes(base64URL: text),
            let bytes = try? key.open(sealed, for: .invitation), bytes.count == 12 + 32,
            let hash = SecretHash(bytes: Array(bytes[12...]))
        else { return nil }
        group = ShareKey(rawValue: UInt32(truncatingIfNeeded: Self.number(bytes[..<4])))
        self.hash = hash
        expiresAt = Timestamp(microseconds: Int64(bitPattern: Self.number(bytes[4..<12])))
    }

    /// The invitation's text.
    public func text(sealedBy key: MasterKey) -> String {
        let head = Self.bytes(of: UInt64(group.rawValue), count: 4)
        let time = Self.bytes(of: UInt64(bitPattern: expiresAt.microseconds), count: 8)
        return TextForm.base64URL(key.seal(head + time + hash.bytes, for: .invitation))
    }

    /// Big-endian.
    private static func bytes(of number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
