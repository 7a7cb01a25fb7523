/// How the servers of NATS are reached, and what the stream there is like.
package struct NATSSettings: Sendable {
    /// What the client proves that it may connect with.
    package enum Credentials: Hashable, Sendable {
        case none
        case user(String, password: String)
        case token(String)
        /// Path of a credentials file, as `nsc generate creds` writes it.
        case file(String)
    }

    /// The servers, `nats://host:port` or `tls://host:port`, in any order.
    package var urls: [String]
    /// Name of the stream, and first word of all subjects: letters, digits, `-`.
    package var stream: String
    /// Servers that keep a copy of each message: 1, 3 or 5 survive the loss of 0, 1 or 2 of them.
    package var replicas: Int
    /// Bytes that the stream may take on each server; beyond them it removes its oldest messages.
    package var bytesMax: Int64
    package var credentials: Credentials
    /// PEM file of the authorities that may sign the servers' certificates; `nil`: TLS only for
    /// URLs that begin with `tls`, with the system's authorities.
    package var authoritiesFile: String?
    /// Name of this client in the servers' lists of connections.
    package var clientName: String

    package init(
        urls: [String], stream: String, replicas: Int, bytesMax: Int64,
        credentials: Credentials = .none, authoritiesFile: String? = nil, clientName: String
    ) {
        self.urls = urls
        self.stream = stream
        self.replicas = replicas
        self.bytesMax = bytesMax
        self.credentials = credentials
        self.authoritiesFile = authoritiesFile
        self.clientName = clientName
    }

    /// Subject of the messages that the stream keeps.
    var changesSubject: String { "\(stream).changes" }

    var usesTLS: Bool { authoritiesFile != nil || urls.contains { $0.hasPrefix("tls://") } }

    /// - Throws: ``NATSStreamError/setting(_:)`` for the first value that is out of its range.
    func check() throws(NATSStreamError) {
        if urls.isEmpty { throw .setting("no URL of a server is given") }
        for url in urls where !Self.isServer(url) {
            throw .setting("\(url) is not nats://host:port or tls://host:port")
        }
        if !Self.isStreamName(stream) {
            throw .setting("the stream's name \"\(stream)\" needs letters, digits and - only")
        }
        if !(1...5).contains(replicas) {
            throw .setting("\(replicas) replicas: 1 to 5 are possible")
        }
        if bytesMax < 1 << 20 {
            throw .setting("\(bytesMax) bytes: the stream needs 1 MiB or more")
        }
    }

    /// - Returns: The subject of questions to a node; `nil`: that is no name of a node.
    func subject(ofNode node: String) -> String? {
        Self.isNodeName(node) ? "\(stream).node.\(node)" : nil
    }

    /// Whether a text is `nats://host:port` or `tls://host:port`; an IPv6 address is in brackets.
    package static func isServer(_ text: String) -> Bool {
        guard let scheme = ["nats://", "tls://"].first(where: text.hasPrefix) else { return false }
        let address = text.dropFirst(scheme.count)
        guard let colon = address.lastIndex(of: ":"), colon > address.startIndex else {
            return false
        }
        let (host, port) = (address[..<colon], address[colon...].dropFirst())
        let isInBrackets = host.hasPrefix("[") && host.hasSuffix("]")
        // The library takes a comma for the begin of another URL, and @ for the end of a password.
        return port.allSatisfy(\.isWholeNumber) && (1...65_535).contains(Int(port) ?? 0)
            && (isInBrackets || !host.contains(":"))
            && host.allSatisfy { !$0.isWhitespace && !"/@,".contains($0) }
    }

    /// Whether a text can be the name of a stream, a part of a subject: letters, digits, `-`.
    package static func isStreamName(_ text: String) -> Bool {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return !text.isEmpty
            && text.utf8.allSatisfy { isOfNodeNames($0) || capitals.contains($0) }
    }

    /// Whether a text can be the name of a node: lower-case letters, digits, `-`.
    package static func isNodeName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isOfNodeNames)
    }

    private static func isOfNodeNames(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
    }
}

/// Why there can be no ``NATSStream``.
package enum NATSStreamError: Error, Hashable, Sendable, CustomStringConvertible {
    case notBuilt
    /// A setting is out of its range, or a file that it names cannot be used.
    case setting(String)

    package var description: String {
        switch self {
        case .notBuilt:
            "this program was built without NATS: build it with --traits NATS (package libnats-dev)"
        case .setting(let problem): "NATS cannot be used: \(problem)"
        }
    }
}
