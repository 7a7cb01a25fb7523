import Foundation
import Testing

/// The style rules that are checked automatically.
@Suite struct TidyTests {
    private static let swiftSources = SourceTree.files(below: "Sources", extensions: ["swift"])
    private static let swiftTests = SourceTree.files(below: "Tests", extensions: ["swift"])

    /// Files in which a word is allowed, with the reason; the lists may only shrink.
    private static let unsafePlaces = [
        "Sources/Ring/", "Sources/SegmentLog/", "Sources/Transport/Outbound/ViewerSink",
        "Sources/Runtime/Accounts/ChangeQueue.swift",
        "Sources/Runtime/Accounts/DeviceRequests.swift",
        "Sources/Runtime/Lifecycle/OpenFiles.swift",
        "Sources/Runtime/Lifecycle/UnixDatagram.swift",
        "Sources/Runtime/Lifecycle/WallClock.swift",
        "Sources/Compression/Gzip.swift", "Sources/Compression/Deflate.swift",
        "Sources/ViewerPages/PageFiles.swift",
        // libmosquitto, libnats and SQLite's files take pointers.
        "Sources/MQTT/BrokerConnection.swift", "Sources/NATS/",
        "Sources/Registry/DatabaseFile.swift",
        "Sources/Bytes/Array+Span.swift",
    ]

    @Test func `The top level holds what is fixed, and nothing that came by the way`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.path)
        let fixed = [
            "Package.swift", "README.md", "Sources", "Tests", "config", "systemd", "tools",
        ]
        // The package manager's resolved versions are not committed.
        let found = names.filter { !$0.hasPrefix(".") && $0 != "Package.resolved" }
        #expect(found.sorted() == fixed)
    }

    @Test func `Files take 350 lines at most, those of tests 400`() {
        // The empty string after the last newline counts as a line.
        let long =
            Self.swiftSources.filter { $0.lines.count > 351 }
            + Self.swiftTests.filter { $0.lines.count > 401 }
        #expect(long.map { "\($0.path): \($0.lines.count) lines, split it" } == [])
    }

    @Test func `Lines stay within 100 columns`() {
        let findings = Self.swiftSources.flatMap { file in
            Self.lines(of: file, where: { $0.utf8.count > 100 }) {
                $0.count > 100 ? "over 100 columns, wrap it" : nil
            }
        }
        #expect(findings == [])
    }

    @Test func `Functions take 50 lines at most`() {
        #expect(Self.swiftSources.flatMap(FunctionLength.findings) == [])
    }

    @Test(arguments: [
        ("try!", "try! traps: throw a typed error"),
        ("fatalError(", "fatalError( hides the reason: use a precondition or a typed error"),
        ("TODO", "TODO: do it, or write it down as an issue"),
        ("FIXME", "FIXME: fix it"),
        ("@_exported", "@_exported hides imports: import where it is used"),
        ("@unchecked Sendable", "@unchecked Sendable: only the ring may"),
        ("nonisolated(unsafe)", "nonisolated(unsafe): pass the value instead"),
        ("NSLock", "NSLock: use Mutex around one value"),
    ])
    func `A forbidden word is absent`(word: String, advice: String) {
        let findings = Self.swiftSources.filter { !$0.path.hasPrefix("Sources/Ring/") }
            .flatMap { file in
                Self.lines(of: file, where: { $0.contains(word) }) {
                    $0.contains(word) ? advice : nil
                }
            }
        #expect(findings == [])
    }

    @Test func `Only commands print`() {
        let findings = Self.swiftSources.filter { !$0.path.hasPrefix("Sources/pulsecast/") }
            .flatMap { file in
                Self.lines(of: file, where: { $0.contains("print(") }) { line in
                    line.firstMatch(of: #/(^|[^A-Za-z.])print\(/#) == nil
                        ? nil : "print( belongs to commands: log it"
                }
            }
        #expect(findings == [])
    }

    @Test func `Type names say what a thing is`() {
        let pattern =
            /(class|struct|enum|actor|protocol) \w*(Manager|Helper|Util|Utils|Info|Data)\b/
        let empty = ["Manager", "Helper", "Util", "Info", "Data"]
        let findings = Self.swiftSources.flatMap { file in
            Self.lines(of: file, where: { empty.contains(where: $0.contains) }) {
                $0.firstMatch(of: pattern) == nil ? nil : "an empty word in a type's name"
            }
        }
        #expect(findings == [])
    }

    @Test func `Folders and files have a noun for a name`() {
        let empty: Set<String> = ["Utils", "Helpers", "Common", "Misc", "Extensions", "Support"]
        let findings = (Self.swiftSources + Self.swiftTests).filter { file in
            file.path.split(separator: "/").contains { part in
                empty.contains(String(part.prefix { $0 != "." }))
            }
        }
        #expect(findings.map(\.path) == [])
    }

    @Test func `A file is named after a type it declares or extends`() {
        let findings = Self.swiftSources.filter { file in
            let stem = String(file.name.dropLast(".swift".count).prefix { $0 != "+" })
            if stem == "main" || stem == "Package" { return false }
            return !file.lines.contains { line in
                guard line.contains(stem) else { return false }
                return line.firstMatch(
                    of: /\b(class|struct|enum|actor|protocol|extension|typealias) (\w+)/
                )
                .map { String($0.2) == stem } ?? false
            }
        }
        #expect(findings.map(\.path) == [])
    }

    @Test func `Unsafe code stays where it is guarded`() {
        let findings = Self.swiftSources
            .filter { file in !Self.unsafePlaces.contains { file.path.hasPrefix($0) } }
            .flatMap { file in
                Self.lines(of: file, where: { $0.contains("unsafe ") }) { line in
                    line.firstMatch(of: #/(^|[ (=])unsafe /#) == nil
                        ? nil : "unsafe outside its places"
                }
            }
        #expect(findings == [])
    }

    @Test func `Only Transport and Client import NIO, and the core imports nothing from outside`() {
        let core = [
            "Bytes", "SensorModel", "Ring", "WireFormat", "Recordings", "PushFormats", "Ingest",
            "Processing",
            "SegmentLog", "Sharing", "Replay", "Sessions", "Simulator", "Backup",
        ]
        let own = Set(core + ["CHardware", "Synchronization", "Glibc"])
        let findings = Self.swiftSources.flatMap { file in
            Self.lines(of: file, where: { $0.contains("import ") }) { line in
                let form = /^(?:public |package |internal )?import (\w+)/
                guard let match = line.firstMatch(of: form) else { return nil }
                let module = String(match.1)
                let target = String(file.path.split(separator: "/")[1])
                if module.hasPrefix("NIO"), target != "Transport", target != "Client" {
                    return "NIO outside Transport and Client"
                }
                if core.contains(target), !own.contains(module) { return "\(module) in the core" }
                return nil
            }
        }
        #expect(findings == [])
    }

    @Test func `The core takes time and randomness as parameters`() {
        let rim = [
            "Runtime", "API", "Daemon", "pulsecast", "Transport", "Client", "Registry", "Secrets",
            "ViewerPages",
        ]
        let words = [
            "Date()", "ContinuousClock()", "SystemRandomNumberGenerator", "SuspendingClock",
        ]
        let findings = Self.swiftSources
            .filter { file in !rim.contains(String(file.path.split(separator: "/")[1])) }
            .flatMap { file in
                Self.lines(of: file, where: { words.contains(where: $0.contains) }) { line in
                    words.contains(where: line.contains) ? "a clock or dice of its own" : nil
                }
            }
        #expect(findings == [])
    }

    @Test func `Every target has tests`() throws {
        let package = try SourceTree.text("Package.swift")
        let targets = package.matches(of: /\.target\(\s*name: "(\w+)"/).map { String($0.1) }
        let support = [
            "CHardware", "CPages", "Peers", "FaultyDisk", "FaultSimulation", "FuzzDriver",
            "HeapUse", "LoopbackPort", "MutatedBytes", "BodyChecks",
        ]
        let missing = targets.filter { !support.contains($0) }.filter { target in
            !Self.swiftTests.contains {
                $0.path.hasPrefix("Tests/\(target)Tests/")
                    && $0.lines.contains { $0.contains("@Test") }
            }
        }
        #expect(missing == [])
    }

    /// - Parameters:
    ///   - file: A file of the tree.
    ///   - isWorthALook: A cheap check, true for each line that breaks the rule, because regular
    ///     expressions over all lines would take minutes in debug.
    ///   - rule: Returns the problem with a line without its comment; `nil`: none.
    /// - Returns: The lines that break the rule.
    private static func lines(
        of file: SourceTree.File, where isWorthALook: (String) -> Bool,
        breaking rule: (String) -> String?
    ) -> [Finding] {
        file.lines.enumerated().compactMap { index, line in
            guard isWorthALook(line) else { return nil }
            let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)
            guard
                let breach = rule(
                    code.first.map { $0.count == line.count ? line : String($0) } ?? line)
            else { return nil }
            return Finding(path: file.path, line: index + 1, rule: breach)
        }
    }
}
