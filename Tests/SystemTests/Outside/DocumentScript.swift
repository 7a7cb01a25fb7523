import Foundation
import Testing

/// Runs blocks of documents in one shell, as a reader would: variables stay, and `&` continues.
///
/// If the system allows it, the shell has its own network, so that the usual ports are free. A
/// command that a reader ends with Ctrl-C (`pulsecast watch`, `curl -N`) is ended after its first
/// output. A daemon ends with the shell in any case.
struct DocumentScript {
    let blocks: [DocumentBlock]

    static let hasTools = ["/usr/bin/curl", "/usr/bin/python3", "/usr/bin/setpriv"]
        .allSatisfy(FileManager.default.isExecutableFile(atPath:))

    /// - Parameters:
    ///   - folder: Working directory of the shell.
    ///   - python: The folder of a Python to use instead of the system's.
    /// - Throws: The reason why the shell did not start or did not end in time.
    func run(in folder: TemporaryFolder, python: String? = nil) async throws {
        let bin = folder.file("bin")
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        try Self.executable(Self.watching, "until-output", in: folder)
        try Self.executable(
            """
            [ "${1:-}" = watch ] && exec until-output '\(Program.path)' "$@"
            exec setpriv --pdeathsig KILL '\(Program.path)' "$@"
            """, "pulsecast", in: folder)
        try Self.executable(
            """
            case " $* " in *" -N "*) exec until-output /usr/bin/curl "$@" ;; esac
            exec /usr/bin/curl "$@"
            """, "curl", in: folder)
        let script = try folder.write(try text(in: folder), to: "script.sh")
        let own = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let path = [bin, python, own].compactMap { $0 }.joined(separator: ":")
        let shell = try ChildProcess("/bin/bash", [script], environment: ["PATH": path], in: folder)
        let end = try await shell.waitForEnd(withinSeconds: 300)
        let last = Int(Self.read("begun", in: folder)) ?? 0
        #expect(
            end == .exited(0),
            "\(blocks[last].place): \(Self.read("block-\(last).err", in: folder))")
        for (number, block) in blocks.enumerated() {
            let output = Self.read("block-\(number).out", in: folder)
            for word in block.words {
                #expect(output.contains(word), "\(block.place): \(word) is not in \(output)")
            }
        }
    }

    private func text(in folder: TemporaryFolder) throws -> String {
        var text = Self.head
        for (number, block) in blocks.enumerated() {
            let (start, suffix) =
                switch block.language {
                case "python": ("python3", "py")
                case "js": ("node", "mjs")
                default: (".", "sh")
                }
            let code = block.lines.joined(separator: "\n") + "\n"
            let file = try folder.write(code, to: "block-\(number).\(suffix)")
            text += "echo \(number) >begun\n"
            text += "\(start) \(file) >block-\(number).out 2>block-\(number).err\n"
        }
        return text
    }

    private static let head = """
        if [ -z "${ALONE:-}" ]; then
            export ALONE=yes
            for way in "unshare" "unshare --map-root-user"; do
                if $way --net true 2>/dev/null; then exec $way --net bash "$0"; fi
            done
        else
            # Up with the loopback: SIOCSIFFLAGS, IFF_UP and IFF_RUNNING.
            python3 -c 'import fcntl, socket, struct
        fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sH14x", b"lo", 0x41))'
        fi
        set -eu
        end() {
            status=$?
            kill $(jobs -p) 2>/dev/null
            wait
            exit $status
        }
        trap end EXIT

        """

    private static let watching = """
        out=$(mktemp -p .)
        "$@" >"$out" &
        for _ in $(seq 600); do
            if [ -s "$out" ] || ! kill -0 $! 2>/dev/null; then break; fi
            sleep 0.1
        done
        kill -KILL $! 2>/dev/null
        wait $! 2>/dev/null
        cat "$out"
        [ -s "$out" ]
        """

    private static func executable(
        _ text: String, _ name: String, in folder: TemporaryFolder
    ) throws {
        let path = try folder.write("#!/bin/bash\n\(text)\n", to: "bin/\(name)")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    private static func read(_ name: String, in folder: TemporaryFolder) -> String {
        let text = try? String(contentsOfFile: folder.file(name), encoding: .utf8)
        return text?.trimmingCharacters(in: .newlines) ?? ""
    }
}
