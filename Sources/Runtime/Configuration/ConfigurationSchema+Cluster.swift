import NATS

extension ConfigurationSchema {
    static let cluster: [ConfigurationEntry] = [
        .list(
            "cluster.urls", \.cluster.urls,
            "Servers of NATS with JetStream, through which standby nodes keep the leader's files;"
                + " empty: no cluster. Needs cluster.node, and log.durability at always",
            allowed: "at most \(clusterServersMax) of nats://host:port or tls://host:port, with"
                + " commas between",
            where: { $0.count <= clusterServersMax && $0.allSatisfy(NATSSettings.isServer) }),
        .text(
            "cluster.name", \.cluster.name,
            "The stream's name, the same on all nodes; two clusters at the same servers have two",
            allowed: "1 to \(clusterNameMax) letters, digits and -", default: "pulsecast",
            where: { $0.utf8.count <= clusterNameMax && NATSSettings.isStreamName($0) }),
        .text(
            "cluster.node", \.cluster.node, "Name of this node; each node has another",
            allowed: "at most \(clusterNameMax) lower-case letters, digits and -",
            where: {
                $0.utf8.count <= clusterNameMax && ($0.isEmpty || NATSSettings.isNodeName($0))
            }),
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
}
