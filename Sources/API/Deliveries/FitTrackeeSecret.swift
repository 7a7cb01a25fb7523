/// What lets a delivery into a FitTrackee server: an access token alone, which expires, or what an
/// OAuth 2.0 client needs to renew it (RFC 6749, section 6): `ID:SECRET:REFRESH`, and the access
/// token once there is one.
struct FitTrackeeSecret: Hashable, Sendable {
    struct Client: Hashable, Sendable {
        let id: String
        let secret: String
        let refreshToken: String
    }

    /// `nil`: it must be renewed first.
    private(set) var accessToken: String?
    /// `nil`: the access token cannot be renewed.
    private(set) var client: Client?

    init(_ text: String?) {
        // Only an access token may have more colons.
        let parts = (text ?? "").split(separator: ":", maxSplits: 3).map(String.init)
        switch parts.count {
        case 1: accessToken = parts[0]
        case 3, 4:
            client = Client(id: parts[0], secret: parts[1], refreshToken: parts[2])
            accessToken = parts.count == 4 ? parts[3] : nil
        default: break
        }
    }

    /// Whether a text is of one of the forms that an owner gives.
    static func isGiven(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return [1, 3].contains(parts.count) && !parts.contains("")
    }

    /// Whether a server's token can be kept.
    static func isUsable(_ token: String) -> Bool {
        (1...bytesMax).contains(token.utf8.count)
            && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    private static let bytesMax = 512

    /// - Parameters:
    ///   - accessToken: A new access token.
    ///   - refreshToken: The refresh token that replaces the used one; `nil`: that stays.
    mutating func renew(_ accessToken: String, refreshToken: String?) {
        guard let client else { return }
        self.accessToken = accessToken
        self.client = Client(
            id: client.id, secret: client.secret,
            refreshToken: refreshToken ?? client.refreshToken)
    }

    /// The text that ``init(_:)`` reads.
    var text: String {
        guard let client else { return accessToken ?? "" }
        return [client.id, client.secret, client.refreshToken, accessToken].compactMap { $0 }
            .joined(separator: ":")
    }
}
