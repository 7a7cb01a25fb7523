import SensorModel

/// Every key, in the order of the example file.
public enum ConfigurationSchema {
    public static let entries: [ConfigurationEntry] =
        places + listeners + limits + ingest + log + sharing + mqtt + cluster

    public static func entry(named name: String) -> ConfigurationEntry? {
        entries.first { $0.name == name }
    }

    private static let places: [ConfigurationEntry] = [
        .text(
            "state.directory", \.stateDirectory,
            "Where the log and the registry are kept; empty: $STATE_DIRECTORY, else pulsecast-data",
            allowed: "a folder"),
        .text(
            "admin.socket", \.adminSocket,
            "Unix socket of the commands; empty: admin.sock in $RUNTIME_DIRECTORY or the state"
                + " folder",
            allowed: "a path of at most 100 bytes", where: { $0.utf8.count <= 100 }),
        .text(
            "secrets.master_key", \.masterKeyFile,
            "32 bytes that seal share IDs and proof keys; empty: the credential master-key, else a"
                + " file made in the state folder",
            allowed: "a file"),
        .text(
            "tls.certificate", \.certificateFile,
            "PEM chain; empty: the credential tls-certificate", allowed: "a file",
            reloadable: true),
        .text(
            "tls.private_key", \.privateKeyFile,
            "PEM key of the certificate; empty: the credential tls-key", allowed: "a file",
            reloadable: true),
        .text(
            "logging.level", \.logLevel, "Least important line that is written",
            allowed: "trace, debug, info, notice, warning, error or critical", default: "info",
            reloadable: true, where: { levels.contains($0) }),
    ]

    private static let levels: Set<String> = [
        "trace", "debug", "info", "notice", "warning", "error", "critical",
    ]

    private static let ports = 0...65_535

    private static let listeners: [ConfigurationEntry] = [
        .text(
            "device.host", \.device.host, "Address devices connect to; 0.0.0.0 or :: for all",
            allowed: "an address of this machine", default: "127.0.0.1"),
        .integer(
            "device.port", \.device.port, ports, "TCP port of the devices; 0: any free",
            unit: "port", default: 7420),
        .boolean("device.tls", \.device.tls, "TLS on the device port; needs tls.certificate"),
        .text(
            "http.host", \.httpListener.host, "Address of viewers and of devices by WebSocket",
            allowed: "an address of this machine", default: "127.0.0.1"),
        .integer(
            "http.port", \.httpListener.port, ports, "HTTP port; 0: any free", unit: "port",
            default: 7480),
        .boolean("http.tls", \.httpListener.tls, "TLS on the HTTP port; needs tls.certificate"),
        .text(
            "http.public_url", \.http.publicURL,
            "What links to shares begin with, as https://run.example.org; empty: the address above",
            allowed: "http://… or https://… without a slash at the end",
            where: { $0.isEmpty || $0.hasPrefix("http") && !$0.hasSuffix("/") }),
        .list(
            "http.trusted_proxies", \.http.trustedProxies,
            "Addresses whose X-Forwarded-For is believed",
            allowed: "addresses, separated by commas"),
        .list(
            "http.allowed_origins", \.http.allowedOrigins,
            "Pages elsewhere that may open WebSockets, * for all; empty: the daemon's own only",
            allowed: "origins as https://example.org, separated by commas, or *"),
        .text(
            "http.frame_ancestors", \.http.frameAncestors,
            "Pages that may show the overlay in a frame", allowed: "a list of CSP sources",
            default: "*"),
        .text(
            "http.tile_url", \.http.tileURL,
            "Map tiles, as https://tiles.example.org/{z}/{x}/{y}.png; empty: none. A tile server"
                + " learns where your runners are",
            allowed: "an https address with {z}, {x} and {y}",
            where: { $0.isEmpty || $0.hasPrefix("https://") && $0.contains("{z}") }),
        .text(
            "http.tile_attribution", \.http.tileAttribution,
            "Who made the map of http.tile_url, as its licence asks to be shown on it",
            allowed: "any text"),
        .boolean(
            "http.echo", \.http.echo, "WebSocket /echo for conformance tests; loopback only"),
        .text(
            "operations.host", \.operations.host, "Address of /metrics, /healthz and /readyz",
            allowed: "an address of this machine", default: "127.0.0.1"),
        .integer(
            "operations.port", \.operations.port, ports, "Port of the same; 0: any free",
            unit: "port", default: 7490),
    ]

    private static let limits: [ConfigurationEntry] = [
        ConfigurationEntry(
            name: "limits.event_loops",
            meaning: "Threads that serve sockets; one carries some ten thousand viewers. auto: one"
                + " less than processors, 1 to \(Configuration.eventLoopsByDefaultMax)",
            allowed: "a whole number of threads, 1 to 16, or auto", defaultText: "auto",
            reloadable: false
        ) { configuration, text in
            guard text != "auto" else {
                configuration.eventLoops = Configuration().eventLoops
                return true
            }
            guard let number = Int(text), (1...16).contains(number) else { return false }
            configuration.eventLoops = number
            return true
        },
        .integer(
            "limits.connections", \.bounds.connectionsMax, 16...200_000,
            "Connections of all kinds together", unit: "connections", default: 10_000),
        .integer(
            "limits.unauthenticated", \.bounds.unauthenticatedMax, 8...10_000,
            "Connections that have not said who they are", unit: "connections", default: 256),
        .integer(
            "limits.per_address", \.bounds.perAddressMax, 1...10_000,
            "Connections of one address from beyond loopback; its networks may have more",
            unit: "connections", default: 64),
        .integer(
            "limits.header_bytes", \.bounds.headerBytesMax, 1024...65_536,
            "Size of a request's headers", unit: "bytes", default: 16_384),
        .integer(
            "limits.body_bytes", \.bounds.bodyBytesMax, 1024...67_108_864,
            "Size of the body of a pushed request or a course", unit: "bytes", default: 1_048_576),
        .integer(
            "limits.message_bytes", \.bounds.messageBytesMax, 4096...16_777_216,
            "Size of a WebSocket message of a device or reader", unit: "bytes",
            default: 1_048_576),
        .integer(
            "limits.line_bytes", \.bounds.lineBytesMax, 1024...Limits.textLineBytesMax,
            "Length of a device's line on TCP", unit: "bytes", default: 65_536),
        .integer(
            "limits.viewers_per_share", \.bounds.viewersPerShareMax, 1...200_000,
            "Viewers of a share, at most; its own limit may be lower", unit: "viewers",
            default: 10_000),
        .integer(
            "limits.shares_per_device", \.bounds.sharesPerDeviceMax, 1...1000,
            "Shares of a device that are neither revoked nor expired", unit: "shares",
            default: 64),
        .integer(
            "limits.sessions_per_device", \.ingest.sessionsPerDeviceMax, 1...1000,
            "Live sessions of a device; the one silent for longest makes room for one more",
            unit: "sessions", default: 8),
        .integer(
            "limits.sessions_recorded", \.ingest.sessionsRecordedMax, 1000...10_000_000,
            "Recorded sessions of all devices; one alone may have four fifths of them",
            unit: "sessions", default: 64_000),
        .integer(
            "limits.device_mebibytes_per_day", \.ingest.deviceMebibytesPerDay, 16...1_000_000,
            "What a device may add to the log a day, four days at once; less of a limited log",
            unit: "mebibytes", default: 2048),
        .duration(
            "limits.handshake", \.bounds.handshakeSeconds, 1...60,
            "TLS and a request's headers are there within", default: "10s"),
        .duration(
            "limits.idle", \.bounds.idleSeconds, 5...3600,
            "A connection without a request is closed after", default: "75s"),
        .integer(
            "limits.failures_per_minute", \.bounds.failuresPerMinuteMax, 1...10_000,
            "Wrong share IDs, codes and tokens of one address before it is told to wait",
            unit: "failures", default: 10),
    ]

    private static let ingest: [ConfigurationEntry] = [
        .integer(
            "ring.kibibytes", \.ingest.ringBytes, 64...65_536,
            "Rings between the event loops and the pipeline, all together; what lies in them waits",
            unit: "KiB",
            default: 256, scale: 1024),
        .duration(
            "ingest.hold", \.ingest.holdSeconds, 0...60,
            "A hole in a session's numbers holds back what follows for at most", default: "2s"),
        .integer(
            "ingest.hold_frames", \.ingest.holdFramesMax, 0...100_000,
            "and for at most so many frames", unit: "frames", default: 1000),
        .duration(
            "ingest.silence", \.ingest.silenceSeconds, 10...604_800,
            "A session nobody sent to for so long has ended", default: "10m"),
        .duration(
            "ingest.hello", \.ingest.helloSeconds, 1...60,
            "A device says hello within", default: "5s"),
        .integer(
            "ingest.frames_per_second", \.ingest.framesPerSecondMax, 10...1_000_000,
            "Frames of one device, averaged over 10 s of its own time; a backlog may come faster",
            unit: "frames", default: 20000),
    ]

    private static let log: [ConfigurationEntry] = [
        ConfigurationEntry(
            name: "log.durability",
            meaning: "When a frame is acknowledged: on disk, each interval, or as the system likes",
            allowed: "always, interval or os", defaultText: "always", reloadable: false
        ) { configuration, text in
            guard let value = Configuration.Log.Durability(rawValue: text) else { return false }
            configuration.log.durability = value
            return true
        },
        .integer(
            "log.interval_ms", \.log.intervalMilliseconds, 10...60_000,
            "The interval of that level", unit: "milliseconds", default: 1000),
        .integer(
            "log.segment_mebibytes", \.log.segmentBytesMax, 1...4096,
            "Size at which a segment is sealed", unit: "MiB", default: 64, scale: 1 << 20),
        .optional(
            "log.retention_age", "Sealed segments older than this are deleted; never: kept",
            allowed: "a duration of at least 1h, or never"
        ) { configuration, text in
            guard text != "never" else { return true }
            guard let seconds = DurationText.seconds(text), seconds >= 3600 else { return false }
            configuration.log.retentionSeconds = seconds
            return true
        },
        .optional(
            "log.retention_mebibytes",
            "Oldest sealed segments are deleted when the log is larger; never: kept",
            allowed: "a whole number of MiB of at least 64, or never"
        ) { configuration, text in
            guard text != "never" else { return true }
            guard let mebibytes = Int(text), (64...(1 << 30)).contains(mebibytes) else {
                return false
            }
            configuration.log.retentionBytes = mebibytes << 20
            return true
        },
        .integer(
            "log.reserve_mebibytes", \.log.reserveBytes, 0...1024,
            "Space kept back so that a full disk can still be written about", unit: "MiB",
            default: 16, scale: 1 << 20),
    ]

    private static let sharing: [ConfigurationEntry] = [
        .integer(
            "subscriber.kibibytes", \.subscriberBytesMax, 16...65_536,
            "A viewer who owes more is closed as too slow", unit: "KiB", default: 256,
            scale: 1024),
        .text(
            "webhook.url", \.webhook.url,
            "Told by POST of session start, end, split and alert; empty: nobody is",
            allowed: "http://… or https://…",
            where: { $0.isEmpty || $0.hasPrefix("http") }),
        .text(
            "webhook.secret_file", \.webhook.secretFile,
            "Key of the signature in X-Pulsecast-Signature", allowed: "a file"),
        .list(
            "alerts.trusted_hosts", \.alerts.trustedHosts,
            "Hosts that owners of devices may name as receivers of alerts, or targets of runs,"
                + " although they are no hosts of the internet, or have no TLS; others are refused",
            allowed: "hosts, or host:port, with commas between"),
        .text(
            "deliveries.folder", \.deliveries.folder,
            "Gets finished runs of devices with a target of the kind folder, as FIT files in a"
                + " folder for each device; empty: none does",
            allowed: "a folder's path, which the daemon may write",
            where: { $0.isEmpty || $0.hasPrefix("/") }),
    ]
}

extension ConfigurationEntry {
    fileprivate static func optional(
        _ name: String, _ meaning: String, allowed: String,
        apply: @escaping @Sendable (inout Configuration, String) -> Bool
    ) -> Self {
        Self(
            name: name, meaning: meaning, allowed: allowed, defaultText: "never",
            reloadable: true, apply: apply)
    }
}
