import Foundation
import Testing

extension SystemTests {
    /// The files that `tools/package` packs, except the program itself, which is a release build.
    @Suite struct PackageTests {
        private static let files: Set<String> = [
            "etc/pulsecast/pulsecast.yaml", "lib/systemd/system/pulsecast-device.socket",
            "lib/systemd/system/pulsecast-http.socket",
            "lib/systemd/system/pulsecast-operations.socket",
            "lib/systemd/system/pulsecast.service", "usr/bin/pulsecast",
            "usr/lib/sysusers.d/pulsecast.conf", "usr/lib/tmpfiles.d/pulsecast.conf",
            "usr/share/bash-completion/completions/pulsecast",
            "usr/share/doc/pulsecast/changelog.gz", "usr/share/doc/pulsecast/copyright",
            "usr/share/doc/pulsecast/examples/Caddyfile",
            "usr/share/doc/pulsecast/examples/grafana-dashboard.json",
            "usr/share/doc/pulsecast/examples/nginx.conf.example",
            "usr/share/doc/pulsecast/examples/private-network.conf",
            "usr/share/doc/pulsecast/examples/prometheus-alerts.yaml",
            "usr/share/doc/pulsecast/examples/tailscale-certificate",
            "usr/share/fish/vendor_completions.d/pulsecast.fish",
            "usr/share/lintian/overrides/pulsecast", "usr/share/man/man1/pulsecast.1.gz",
            "usr/share/man/man5/pulsecast.yaml.5.gz", "usr/share/zsh/vendor-completions/_pulsecast",
        ]

        @Test func `The package has its files, a page a command, and completions that know all`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                let root = folder.file("root")
                let laid = try ChildProcess(
                    Program.root.appending(path: "tools/package").path,
                    ["--binary", Program.path, "--files", root], in: folder)
                #expect(try await laid.waitForEnd() == .exited(0), "\(laid.complaint)")
                let commands = try await Self.commands(in: folder)
                #expect(commands.count > 10 && commands["device"]?["add"] != nil)
                let pages = commands.keys.map { "usr/share/man/man1/pulsecast-\($0).1.gz" }
                #expect(Self.files(below: root) == Self.files.union(pages))
                for (command, options) in commands {
                    let page = try await Self.page("pulsecast-\(command)", in: folder, root)
                    let missing = Set(options.values.joined()).filter { !page.contains($0) }
                    #expect(missing == [], "pulsecast-\(command)(1)")
                }
                try await Self.expectCompletions(of: commands, in: folder, root)
                try await Self.expectDefaults(in: folder, root)
            }
        }

        /// Options by command and subcommand ("" for the command's own).
        private static func commands(
            in folder: TemporaryFolder
        ) async throws -> [String: [String: [String]]] {
            let dumped = try await Program.run(["--experimental-dump-help"], in: folder)
            let root = dumped.object["command"] as? [String: Any] ?? [:]
            var found: [String: [String: [String]]] = [:]
            for command in below(root) {
                var options = ["": self.options(of: command)]
                for inner in below(command) { options[name(of: inner)] = self.options(of: inner) }
                found[name(of: command)] = options
            }
            return found
        }

        private static func name(of command: [String: Any]) -> String {
            command["commandName"] as? String ?? ""
        }

        private static func below(_ command: [String: Any]) -> [[String: Any]] {
            let commands = command["subcommands"] as? [[String: Any]] ?? []
            return commands.filter { name(of: $0) != "help" }
        }

        private static func options(of command: [String: Any]) -> [String] {
            let arguments = command["arguments"] as? [[String: Any]] ?? []
            return arguments.filter { $0["shouldDisplay"] as? Bool != false }
                .flatMap { $0["names"] as? [[String: Any]] ?? [] }
                .filter { $0["kind"] as? String == "long" }
                .compactMap { ($0["name"] as? String).map { "--\($0)" } }
        }

        private static func files(below root: String) -> Set<String> {
            let found = FileManager.default.enumerator(atPath: root)
            var files: Set<String> = []
            while let path = found?.nextObject() as? String {
                if found?.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
                    files.insert(path)
                }
            }
            return files
        }

        /// The page as a person reads it, without troff's backslashes.
        private static func page(
            _ name: String, in folder: TemporaryFolder, _ root: String
        ) async throws -> String {
            let unpacked = try ChildProcess(
                "/bin/gzip", ["-dc", root + "/usr/share/man/man1/\(name).1.gz"], in: folder)
            #expect(try await unpacked.waitForEnd() == .exited(0), "\(unpacked.complaint)")
            return unpacked.output.replacingOccurrences(of: "\\", with: "")
        }

        private static func expectCompletions(
            of commands: [String: [String: [String]]], in folder: TemporaryFolder, _ root: String
        ) async throws {
            let places = [
                "bash-completion/completions/pulsecast", "zsh/vendor-completions/_pulsecast",
                "fish/vendor_completions.d/pulsecast.fish",
            ]
            for place in places {
                let text = try String(
                    contentsOfFile: root + "/usr/share/" + place, encoding: .utf8)
                #expect(!text.hasPrefix("#!"), "\(place)")
                for (command, options) in commands {
                    for word in [command] + options.keys where !word.isEmpty && !text.contains(word)
                    {
                        Issue.record("\(place) does not know \(command) \(word)")
                    }
                }
            }
            let parsed = try ChildProcess(
                "/bin/bash", ["-n", root + "/usr/share/" + places[0]], in: folder)
            #expect(try await parsed.waitForEnd() == .exited(0), "\(parsed.complaint)")
        }

        /// Checks that the installed configuration contains only defaults.
        private static func expectDefaults(
            in folder: TemporaryFolder, _ root: String
        ) async throws {
            let checked = try await Program.run(
                ["check-config", root + "/etc/pulsecast/pulsecast.yaml", "--print"], in: folder)
            #expect(checked.end == .exited(0), "\(checked.complaint)")
            let lines = checked.output.split(separator: "\n")
            #expect(lines.count > 40)
            #expect(lines.filter { $0.contains("pulsecast.yaml") } == [])
        }
    }
}
