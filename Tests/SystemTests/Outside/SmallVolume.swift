import Foundation
import Glibc
import Testing

/// A small file system for a daemon's state, which can be filled to its last block or inode, made
/// read-only, or stopped.
struct SmallVolume {
    enum Kind: String, CaseIterable, Sendable {
        case tmpfs, ext4, xfs

        /// xfs needs at least 300 MiB.
        fileprivate var mebibytes: Int { self == .xfs ? 320 : 96 }
    }

    let kind: Kind
    let mountPoint: String
    private let folder: TemporaryFolder
    private let image: String
    private var filling: String { mountPoint + "/filling" }

    /// Creates and mounts the file system, runs `body`, and always unmounts it.
    ///
    /// - Throws: Errors of `body`; cancels the test if this machine cannot mount.
    static func with(
        _ kind: Kind, in folder: TemporaryFolder, _ body: (SmallVolume) async throws -> Void
    ) async throws {
        guard getuid() == 0 else { try Test.cancel("not root: no file system can be mounted") }
        let volume = SmallVolume(
            kind: kind, mountPoint: folder.file("small"), folder: folder,
            image: folder.file("image"))
        try FileManager.default.createDirectory(
            atPath: volume.mountPoint, withIntermediateDirectories: true)
        try await volume.make()
        let options =
            switch kind {
            case .tmpfs: ["-t", "tmpfs", "-o", "size=\(kind.mebibytes)m", "tmpfs"]
            case .ext4: ["-o", "loop", volume.image]
            case .xfs: ["-o", "loop,nouuid", volume.image]
            }
        let mounted = try await volume.run("/usr/bin/mount", options + [volume.mountPoint])
        guard mounted.end == .exited(0) else {
            try Test.cancel("this machine mounts no \(kind): \(mounted.complaint)")
        }
        do { try await body(volume) } catch {
            try await volume.unmount()
            throw error
        }
        try await volume.unmount()
    }

    /// Makes the daemon's state folder a link to the file system.
    func makeState(of folder: TemporaryFolder) throws {
        let state = mountPoint + "/state"
        try FileManager.default.createDirectory(
            atPath: state, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: DaemonProcess.state(in: folder), withDestinationPath: state)
    }

    private func make() async throws {
        guard kind != .tmpfs else { return }
        let tool = "/usr/sbin/mkfs.\(kind.rawValue)"
        guard FileManager.default.isExecutableFile(atPath: tool) else {
            try Test.cancel("\(tool) is missing: tools/setup --for test installs it")
        }
        try Data().write(to: URL(filePath: image))
        try FileHandle(forWritingTo: URL(filePath: image))
            .truncate(atOffset: UInt64(kind.mebibytes) << 20)
        let made = try await run(tool, ["-q", image])
        #expect(made.end == .exited(0), "\(made.complaint)")
    }

    /// Unmounts lazily; a process with an open file keeps the file system until it closes the file.
    private func unmount() async throws {
        let unmounted = try await run("/usr/bin/umount", ["--lazy", mountPoint])
        #expect(unmounted.end == .exited(0), "\(unmounted.complaint)")
    }

    /// Allocates every byte, in several passes, because a file system may free some meanwhile.
    func fill() async throws {
        try FileManager.default.createDirectory(
            atPath: filling, withIntermediateDirectories: true)
        for number in 0..<4 {
            Self.fill(filling + "/\(number)")
            _ = try await run("/usr/bin/sync", ["-f", mountPoint])
        }
    }

    private static func fill(_ path: String) {
        let descriptor = unsafe open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let zeros = [UInt8](repeating: 0x5A, count: 1 << 20)
        for count in [1 << 20, 1 << 16, 4096, 512, 1] {
            while unsafe zeros.withUnsafeBytes({
                unsafe write(descriptor, $0.baseAddress, count) > 0
            }) {}
        }
        fsync(descriptor)
    }

    /// Allocates every inode of a file system with a fixed number.
    func takeInodes() async throws {
        if kind == .tmpfs {
            _ = try await run("/usr/bin/mount", ["-o", "remount,nr_inodes=200", mountPoint])
        }
        try FileManager.default.createDirectory(
            atPath: filling, withIntermediateDirectories: true)
        for number in 0..<200_000 {
            let path = filling + "/inode-\(number)"
            let descriptor = unsafe open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return }
            close(descriptor)
        }
    }

    /// Frees the space of ``fill()`` and ``takeInodes()``.
    func makeRoom() throws { try FileManager.default.removeItem(atPath: filling) }

    func mount(readOnly: Bool) async throws {
        let mounted = try await run(
            "/usr/bin/mount", ["-o", "remount,\(readOnly ? "ro" : "rw")", mountPoint])
        #expect(mounted.end == .exited(0), "\(mounted.complaint)")
    }

    private func run(
        _ tool: String, _ arguments: [String]
    ) async throws -> (end: ChildProcess.End, complaint: String) {
        let process = try ChildProcess(tool, arguments, in: folder)
        let end = try await process.waitForEnd()
        return (end, process.complaint)
    }
}
