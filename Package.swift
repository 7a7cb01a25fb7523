// swift-tools-version: 6.2

import PackageDescription

/// One strict dialect for every target: a warning is a failed build.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),  // `unsafe` marks every unsafe expression
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),  // the cost of `any` is visible
    .enableUpcomingFeature("InternalImportsByDefault"),  // no accidental re-export
    .enableUpcomingFeature("MemberImportVisibility"),  // a file imports what it uses
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // async runs where its caller runs
    .enableUpcomingFeature("InferIsolatedConformances"),  // conformances follow their type
    .enableUpcomingFeature("ImmutableWeakCaptures"),  // weak captures may be Sendable
]

/// The product itself: the standard library and `Bytes`, nothing from outside.
let core: [Target] = [
    .target(name: "Bytes", swiftSettings: strict),
    .target(name: "SensorModel", dependencies: ["Bytes"], swiftSettings: strict),
    .target(name: "Ring", swiftSettings: strict),
    .target(name: "CHardware"),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "WireFormat", dependencies: ["Bytes", "SensorModel"], swiftSettings: strict),
    .target(name: "Recordings", dependencies: ["Bytes", "SensorModel"], swiftSettings: strict),
    .target(
        name: "PushFormats", dependencies: ["Bytes", "SensorModel", "Recordings"],
        swiftSettings: strict),
    .target(name: "Ingest", dependencies: ["Bytes", "SensorModel"], swiftSettings: strict),
    .target(name: "Processing", dependencies: ["SensorModel"], swiftSettings: strict),
    .target(
        name: "SegmentLog", dependencies: ["Bytes", "SensorModel", "Ring", "CHardware"],
        swiftSettings: strict),
    .target(
        name: "Sharing", dependencies: ["Bytes", "SensorModel", "WireFormat"], swiftSettings: strict
    ),
    .target(
        name: "Sessions",
        dependencies: [
            "Bytes", "SensorModel", "Ingest", "Processing", "SegmentLog", "Sharing", "WireFormat",
        ],
        swiftSettings: strict),
    .target(
        name: "Replay",
        dependencies: [
            "Bytes", "SensorModel", "WireFormat", "SegmentLog", "Processing", "Sharing", "Sessions",
        ],
        swiftSettings: strict),
    .target(
        name: "Backup", dependencies: ["Bytes", "SensorModel", "SegmentLog"],
        swiftSettings: strict),
    .target(
        name: "Cluster", dependencies: ["Bytes", "SensorModel", "SegmentLog"],
        swiftSettings: strict),
    .target(name: "Simulator", dependencies: ["SensorModel"], swiftSettings: strict),
]

/// The rim: each package from outside sits behind one target.
let rim: [Target] = [
    .target(
        name: "Secrets",
        dependencies: ["Bytes", "SensorModel", .product(name: "Crypto", package: "swift-crypto")],
        swiftSettings: strict),
    .target(
        name: "Registry",
        dependencies: [
            "Bytes", "SensorModel", .product(name: "GRDB", package: "GRDB.swift"),
            .product(name: "GRDBSQLite", package: "GRDB.swift"),
        ],
        swiftSettings: strict),
    .target(
        name: "Transport",
        dependencies: [
            "Bytes", "SensorModel", "WireFormat", "Sharing", "Ring", "CHardware", "Secrets",
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOPosix", package: "swift-nio"),
            .product(name: "NIOHTTP1", package: "swift-nio"),
            .product(name: "NIOTLS", package: "swift-nio"),
            .product(name: "NIOSSL", package: "swift-nio-ssl"),
        ],
        swiftSettings: strict),
    .target(
        name: "Client",
        dependencies: [
            "SensorModel", "WireFormat", "Transport",
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOPosix", package: "swift-nio"),
            .product(name: "NIOHTTP1", package: "swift-nio"),
            .product(name: "NIOTLS", package: "swift-nio"),
            .product(name: "NIOWebSocket", package: "swift-nio"),
            .product(name: "NIOSSL", package: "swift-nio-ssl"),
        ],
        swiftSettings: strict),
    .target(name: "Compression", dependencies: ["Bytes", "CZlib"], swiftSettings: strict),
    .systemLibrary(name: "CNATS", providers: [.apt(["libnats-dev"])]),
    .target(
        name: "NATS",
        dependencies: [
            "Cluster", .byName(name: "CNATS", condition: .when(traits: ["NATS"])),
        ],
        swiftSettings: strict),
    .systemLibrary(name: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
    .target(
        name: "MQTT",
        dependencies: [.byName(name: "CMosquitto", condition: .when(traits: ["MQTT"]))],
        swiftSettings: strict),
    .target(name: "CPages"),
    .target(
        name: "ViewerPages", dependencies: ["Compression", "CPages"], exclude: ["Resources"],
        swiftSettings: strict),
    .target(
        name: "Runtime",
        dependencies: [
            "Bytes", "SensorModel", "Ring", "WireFormat", "Recordings", "Ingest", "SegmentLog",
            "Sharing", "Sessions", "Replay", "Backup", "Secrets", "Registry", "Transport", "MQTT",
            "Cluster", "NATS", "ViewerPages",
            .product(name: "Logging", package: "swift-log"),
            .product(name: "Yams", package: "Yams"),
        ],
        swiftSettings: strict),
    .target(
        name: "API",
        dependencies: [
            "Bytes", "SensorModel", "Ring", "WireFormat", "Recordings", "PushFormats", "Ingest",
            "Processing", "SegmentLog", "Sharing", "Sessions", "Secrets", "Registry", "Transport",
            "Client", "Compression", "MQTT", "ViewerPages", "Runtime",
            .product(name: "Logging", package: "swift-log"),
        ],
        swiftSettings: strict),
    .target(
        name: "Daemon",
        dependencies: [
            "SensorModel", "Ingest", "SegmentLog", "Sharing", "Sessions", "Cluster", "NATS",
            "Secrets", "Registry", "Transport", "Client", "MQTT", "ViewerPages", "Runtime", "API",
            "CHardware",
            .product(name: "Logging", package: "swift-log"),
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        ],
        swiftSettings: strict),
    .executableTarget(
        name: "pulsecast",
        dependencies: [
            "Bytes", "SensorModel", "WireFormat", "Recordings", "PushFormats", "SegmentLog",
            "Sharing", "Sessions", "Replay", "Backup", "Simulator", "Transport", "Client",
            "Compression", "Runtime", "API", "Daemon",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        swiftSettings: strict),
]

/// A test target a target.
let coreTests: [Target] = [
    .testTarget(name: "TidyTests", swiftSettings: strict),
    .testTarget(name: "BytesTests", dependencies: ["Bytes", "SensorModel"], swiftSettings: strict),
    .testTarget(name: "SensorModelTests", dependencies: ["SensorModel"], swiftSettings: strict),
    .testTarget(name: "RingTests", dependencies: ["Ring"], swiftSettings: strict),
    .testTarget(
        name: "WireFormatTests", dependencies: ["Bytes", "SensorModel", "WireFormat"],
        swiftSettings: strict),
    .target(name: "MutatedBytes", path: "Tests/MutatedBytes", swiftSettings: strict),
    .testTarget(
        name: "RecordingsTests",
        dependencies: ["Bytes", "SensorModel", "Recordings", "Simulator", "MutatedBytes"],
        swiftSettings: strict),
    .testTarget(
        name: "PushFormatsTests",
        dependencies: ["SensorModel", "PushFormats", "Recordings", "MutatedBytes"],
        swiftSettings: strict),
    .testTarget(
        name: "IngestTests", dependencies: ["SensorModel", "Ingest"], swiftSettings: strict),
    .testTarget(
        name: "ProcessingTests", dependencies: ["SensorModel", "Processing", "Simulator"],
        swiftSettings: strict),
    .target(
        name: "FaultyDisk", dependencies: ["Bytes", "SegmentLog"], path: "Tests/FaultyDisk",
        swiftSettings: strict),
    .testTarget(
        name: "SegmentLogTests",
        dependencies: ["Bytes", "SensorModel", "SegmentLog", "FaultyDisk"],
        swiftSettings: strict),
    .target(name: "HeapUse", path: "Tests/HeapUse", swiftSettings: strict),
    .target(
        name: "FaultSimulation",
        dependencies: [
            "SensorModel", "Ring", "WireFormat", "PushFormats", "Ingest", "SegmentLog", "Sharing",
            "Replay", "Sessions", "Backup", "FaultyDisk",
        ],
        path: "Tests/FaultSimulation", swiftSettings: strict),
    .executableTarget(
        name: "faultseeds", dependencies: ["FaultSimulation"],
        path: "Tests/FaultSeeds", swiftSettings: strict),
    .testTarget(
        name: "SessionsTests",
        dependencies: [
            "SensorModel", "WireFormat", "Ingest", "Processing", "SegmentLog", "Sharing", "Replay",
            "Sessions", "Simulator", "FaultyDisk", "FaultSimulation", "HeapUse", "MutatedBytes",
        ], swiftSettings: strict),
    .testTarget(
        name: "SharingTests", dependencies: ["Bytes", "SensorModel", "Sharing"],
        swiftSettings: strict),
    .target(
        name: "PrivacyAttacks", dependencies: ["SensorModel", "Sharing", "Simulator"],
        path: "Tests/PrivacyAttacks",
        // Millions of positions: without the optimizer the tests take minutes.
        swiftSettings: strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    .executableTarget(
        name: "privacytable", dependencies: ["PrivacyAttacks"],
        path: "Tests/PrivacyTable", swiftSettings: strict),
    .testTarget(
        name: "PrivacyAttacksTests", dependencies: ["SensorModel", "Sharing", "PrivacyAttacks"],
        swiftSettings: strict),
    .testTarget(
        name: "ReplayTests",
        dependencies: [
            "SensorModel", "WireFormat", "SegmentLog", "Processing", "Sharing", "Sessions",
            "Replay", "Simulator",
        ],
        swiftSettings: strict),
    .testTarget(
        name: "BackupTests", dependencies: ["SensorModel", "SegmentLog", "Backup", "FaultyDisk"],
        swiftSettings: strict),
    .testTarget(
        name: "ClusterTests",
        dependencies: ["Bytes", "SensorModel", "SegmentLog", "Cluster", "FaultyDisk"],
        swiftSettings: strict),
    .testTarget(
        name: "SimulatorTests", dependencies: ["SensorModel", "Simulator"],
        swiftSettings: strict),
]

/// Tests of the rim, and of the whole.
let rimTests: [Target] = [
    .testTarget(
        name: "InstallationTests", dependencies: ["Runtime", "API", "Daemon"], swiftSettings: strict
    ),
    .testTarget(
        name: "SecretsTests", dependencies: ["Bytes", "SensorModel", "Secrets"],
        swiftSettings: strict),
    .testTarget(
        name: "RegistryTests",
        dependencies: [
            "SensorModel", "Registry", .product(name: "GRDB", package: "GRDB.swift"),
        ], swiftSettings: strict),
    .testTarget(
        name: "TransportTests",
        dependencies: [
            "SensorModel", "WireFormat", "Sharing", "Ring", "Transport", "Client", "HeapUse",
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOEmbedded", package: "swift-nio"),
            .product(name: "NIOHTTP1", package: "swift-nio"),
            .product(name: "NIOSSL", package: "swift-nio-ssl"),
        ],
        swiftSettings: strict),
    .testTarget(name: "ClientTests", dependencies: ["Client"], swiftSettings: strict),
    .testTarget(
        name: "CompressionTests", dependencies: ["Compression", "MutatedBytes"],
        swiftSettings: strict
    ),
    .target(name: "LoopbackPort", path: "Tests/LoopbackPort", swiftSettings: strict),
    .testTarget(
        name: "NATSTests", dependencies: ["Cluster", "NATS", "LoopbackPort"],
        swiftSettings: strict),
    .testTarget(name: "MQTTTests", dependencies: ["MQTT"], swiftSettings: strict),
    .testTarget(
        name: "ViewerPagesTests", dependencies: ["ViewerPages"], exclude: ["js"],
        swiftSettings: strict),
    .testTarget(
        name: "RuntimeTests",
        dependencies: [
            "SensorModel", "Ring", "WireFormat", "Recordings", "SegmentLog", "Sessions", "Secrets",
            "Registry", "Transport", "Runtime", "Simulator", "FaultyDisk",
            .product(name: "Logging", package: "swift-log"),
        ], swiftSettings: strict),
    .target(
        name: "BodyChecks",
        dependencies: [
            "Bytes", "SensorModel", "WireFormat", "Recordings", "Sharing", "Registry", "Transport",
            "Runtime", "API",
        ],
        path: "Tests/BodyChecks", swiftSettings: strict),
    .testTarget(
        name: "APITests",
        dependencies: [
            "SensorModel", "Secrets", "SegmentLog", "Runtime", "API", "BodyChecks", "MutatedBytes",
        ],
        swiftSettings: strict),
    .testTarget(
        name: "DaemonTests",
        dependencies: [
            "SensorModel", "WireFormat", "PushFormats", "Ring", "SegmentLog", "Sharing", "Sessions",
            "Simulator", "Backup", "Secrets", "Registry", "Transport", "Client", "Runtime", "API",
            "Daemon", "FaultyDisk", .product(name: "Logging", package: "swift-log"),
        ], swiftSettings: strict),
    .testTarget(
        name: "SystemTests",
        dependencies: [
            "SensorModel", "WireFormat", "Simulator", "Transport", "Client", "MQTT", "LoopbackPort",
            "pulsecast",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        exclude: ["browser", "Samples"], swiftSettings: strict),
]

/// `PULSECAST_OPTIMIZED=1` builds the core and its simulations with the optimizer in debug, too, every
/// assertion kept: `tools/test` computes millions of samples.
if Context.environment["PULSECAST_OPTIMIZED"] == "1" {
    let simulations = ["FaultyDisk", "FaultSimulation", "MutatedBytes"]
    for target in core + coreTests.filter({ simulations.contains($0.name) }) {
        target.swiftSettings?.append(
            .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug)))
    }
}

/// `PULSECAST_CORE=1` builds the core alone: no packages, seconds instead of minutes. What needs the
/// core in another form, as ThreadSanitizer does, need not build the rest in it.
let isCoreOnly = Context.environment["PULSECAST_CORE"] == "1"

/// `PULSECAST_BENCHMARKS=1` adds what `tools/benchmark` runs: it needs C++ libraries to compare with.
let benchmarks: [Target] =
    Context.environment["PULSECAST_BENCHMARKS"] == "1"
    ? [
        .target(name: "Peers", path: "tools/benchmarks/Peers"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "SensorModel", "Ring", "WireFormat", "Ingest", "SegmentLog", "Processing", "Replay",
                "Sharing", "Sessions", "Simulator", "Peers",
            ],
            path: "tools/benchmarks",
            exclude: [
                "Peers", "results", "aged_log.py", "fan_out.py", "growth.py", "long_sessions.py",
                "many_sessions.py", "playing.py", "restart.py", "sparse_log.py", "standing.py",
                "tls.py", "viewers.c", "viewing.py", "years.py",
            ],
            sources: [
                "Benchmarks.swift", "CommitLatency.swift", "Contest.swift", "EarlierTable.swift",
                "FrameReading.swift", "GroupCommit.swift", "OneWatch.swift",
                "OneWriterOneReader.swift", "ScratchFolder.swift", "TextIngest.swift",
                "WithoutSockets.swift",
            ], swiftSettings: strict),
    ] : []

/// `PULSECAST_FUZZ=1` adds the programs that `tools/fuzz` builds; libFuzzer brings its `main`. What
/// the core reads is built without packages, with `PULSECAST_CORE=1`.
let isFuzzed = Context.environment["PULSECAST_FUZZ"] == "1"
let coreFuzz: [Target] = [
    .target(name: "FuzzDriver", path: "Tests/Fuzz/Driver", swiftSettings: strict),
    .executableTarget(
        name: "Fuzz",
        dependencies: [
            "FuzzDriver", "SensorModel", "WireFormat", "Recordings", "PushFormats", "SegmentLog",
        ],
        path: "Tests/Fuzz", exclude: ["Bodies", "Driver", "Transport"], swiftSettings: strict),
]
/// What the server reads, and the bodies, queries and messages that the API takes: programs of their
/// own, as the packages below them take minutes to build.
let rimFuzz: [Target] = [
    .executableTarget(
        name: "TransportFuzz",
        dependencies: [
            "FuzzDriver", "SensorModel", "WireFormat", "Sharing", "Ring", "Secrets",
            "Transport", .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOEmbedded", package: "swift-nio"),
        ],
        path: "Tests/Fuzz/Transport", swiftSettings: strict),
    .executableTarget(
        name: "BodyFuzz", dependencies: ["FuzzDriver", "BodyChecks"],
        path: "Tests/Fuzz/Bodies", swiftSettings: strict),
]

/// `PULSECAST_RACE=1` keeps the tests that `tools/race` runs under ThreadSanitizer, and what they
/// need: with `PULSECAST_CORE=1` those of ring and log, else those of the pipeline's threads, too.
let isRaceChecked = Context.environment["PULSECAST_RACE"] == "1"
let race: [Target] = {
    let log = ["Bytes", "SensorModel", "Ring", "CHardware", "SegmentLog"]
    let pipeline = [
        "Secrets", "Registry", "Transport", "Compression", "CPages", "CMosquitto", "MQTT",
        "CNATS", "NATS", "ViewerPages", "Runtime",
    ]
    let tests =
        ["FaultyDisk", "RingTests", "SegmentLogTests"] + (isCoreOnly ? [] : ["RuntimeTests"])
    let sources = isCoreOnly ? core.filter { log.contains($0.name) } : core
    let kept =
        (rim.filter { pipeline.contains($0.name) && !isCoreOnly })
        + (coreTests + rimTests).filter { tests.contains($0.name) }
    return sources + kept + [
        .target(name: "RaceMutex", path: "Tests/RaceMutex"),
        .testTarget(name: "RaceMutexTests", dependencies: ["RaceMutex"], swiftSettings: strict),
    ]
}()

let packages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
]

let package = Package(
    name: "pulsecast",
    products: isCoreOnly || isRaceChecked
        ? [] : [.executable(name: "pulsecast", targets: ["pulsecast"])],
    traits: [
        .trait(
            name: "MQTT", description: "State to an MQTT broker, OwnTracks from it: libmosquitto."),
        .trait(name: "NATS", description: "Standby nodes through NATS JetStream: libnats."),
    ],
    dependencies: isCoreOnly ? [] : packages,
    targets: isRaceChecked
        ? race
        : (isCoreOnly ? core + coreTests : core + rim + coreTests + rimTests) + benchmarks
            + (isFuzzed ? coreFuzz : []) + (isFuzzed && !isCoreOnly ? rimFuzz : [])
)
