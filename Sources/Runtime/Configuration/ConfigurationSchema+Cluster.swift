extension ConfigurationSchema {
    static let cluster: [ConfigurationEntry] = [
        .list(
            "cluster.urls", \.cluster.urls,
            "Servers of NATS with JetStream, through which standby nodes keep the leader's files;"
                + " empty: no cluster. Needs cluster.node, and log.durability at always",
            allowed: "at most \(clusterServersMax) of nats://host:port or tls://host:port, with"
                + " commas between",
            where: { $0.count <= clusterServersMax && $0.allSatisfy(isServerOfNATS) }),
        .text(
            "cluster.name", \.cluster.name,
            "The stream's name, the same on all nodes; two clusters at the same servers have two",
            allowed: "1 to \(clusterNameMax) letters, digits and -", default: "pulsecast",
            where: { !$0.isEmpty && isClusterName($0) }),
        .text(
            "cluster.node", \.cluster.node, "Name of this node; each node has another",
            allowed: "at most \(clusterNameMax) lower-case letters, digits and -",
            where: { isClusterName($0) && $0.utf8.allSatisfy { !(0x41...0x5A).contains($0) } }),
        .integer(
            "cluster.replicas", \.cluster.replicas, 1...5,
            "Servers of NATS that keep each change; 3 survive the loss of one", unit: "servers",
            default: 3),
        .integer(
            "cluster.stream_mebibytes", \.cluster.streamBytes, 64...1_048_576,
            "Size of the stream. Older changes go; a node that missed them compares all files",
            unit: "MiB", default: 1024, scale: 1 << 20),
        .integer(
            "cluster.stream_minutes", \.cluster.streamSeconds, 10...10_080,
            "How long the stream keeps changes; a node that missed older ones compares all files",
            unit: "minutes", default: 60, scale: 60),
        .text(
            "cluster.ca_file", \.cluster.authoritiesFile,
            "Authorities that may sign the servers' certificates, PEM; turns TLS on. Empty: those"
                + " of the system, for tls:// alone",
            allowed: "a file"),
        .text("cluster.user", \.cluster.user, "Name at the servers of NATS; empty: none"),
        .text(
            "cluster.password_file", \.cluster.passwordFile,
            "Password of that name; empty: the credential nats-password", allowed: "a file"),
    ]

    private static let clusterServersMax = 16
    private static let clusterNameMax = 32

    /// Part of subjects of NATS, where a dot would begin another part.
    private static func isClusterName(_ text: String) -> Bool {
        text.utf8.count <= clusterNameMax
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// An IPv6 address stands in brackets.
    private static func isServerOfNATS(_ url: String) -> Bool {
        guard let scheme = ["nats://", "tls://"].first(where: url.hasPrefix) else { return false }
        let place = url.dropFirst(scheme.count)
        guard let colon = place.lastIndex(of: ":"), colon > place.startIndex else { return false }
        let host = place[..<colon]
        let port = place[colon...].dropFirst()
        let isInBrackets = host.hasPrefix("[") && host.hasSuffix("]")
        return port.allSatisfy(\.isWholeNumber) && (1...65_535).contains(Int(port) ?? 0)
            && (isInBrackets || !host.contains(":"))
            && host.allSatisfy { !$0.isWhitespace && !"/@,".contains($0) }
    }
}
