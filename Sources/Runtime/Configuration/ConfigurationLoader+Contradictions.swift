/// Settings that contradict each other.
extension ConfigurationLoader {
    func contradictions(in configuration: Configuration) -> [ConfigurationError] {
        var found: [ConfigurationError] = []
        if configuration.http.echo, !Self.isLoopback(configuration.httpListener.host) {
            found.append(
                .contradiction(
                    key: "http.echo",
                    reason: "only allowed while http.host is loopback, and it is"
                        + " \(configuration.httpListener.host)"))
        }
        let hasCertificate = !configuration.certificateFile.isEmpty
        if hasCertificate != !configuration.privateKeyFile.isEmpty {
            found.append(
                .contradiction(
                    key: hasCertificate ? "tls.private_key" : "tls.certificate",
                    reason: "a certificate and its key are set together; set this one too"))
        }
        if let problem = problem(of: configuration.mqtt) {
            found.append(.contradiction(key: "mqtt.host", reason: problem))
        }
        return found + problems(of: configuration.cluster, with: configuration.log.durability)
    }

    private func problems(
        of cluster: Configuration.Cluster, with durability: Configuration.Log.Durability
    ) -> [ConfigurationError] {
        if cluster.urls.isEmpty {
            // Two nodes that forgot it would both lead.
            return cluster.node.isEmpty
                ? []
                : [
                    .contradiction(
                        key: "cluster.urls",
                        reason: "cluster.node is set, and the servers of NATS are missing;"
                            + " set this one too, or remove cluster.node")
                ]
        }
        var found: [ConfigurationError] = []
        if !hasNATS {
            found.append(
                .contradiction(
                    key: "cluster.urls",
                    reason: "this program cannot use NATS: install libnats-dev and build it with"
                        + " swift build -c release --traits NATS"))
        }
        if cluster.node.isEmpty {
            found.append(
                .contradiction(
                    key: "cluster.node",
                    reason: "a node of a cluster needs a name of its own; set this one too"))
        }
        if durability != .always {
            found.append(
                .contradiction(
                    key: "log.durability",
                    reason: "it is \(durability.rawValue), and a cluster acknowledges only what is"
                        + " safe: set it to always, or remove cluster.urls"))
        }
        return found
    }

    private func problem(of mqtt: Configuration.MQTT) -> String? {
        if mqtt.host.isEmpty {
            return mqtt.shares.isEmpty && mqtt.alerts.isEmpty && mqtt.ownTracks.isEmpty
                ? nil : "the broker of mqtt.shares, mqtt.alerts and mqtt.owntracks is missing"
        }
        return hasMQTT
            ? nil
            : "this program cannot connect to a broker: install libmosquitto-dev and build it with"
                + " swift build -c release --traits MQTT"
    }

    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
