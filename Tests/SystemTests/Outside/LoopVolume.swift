import Foundation
import Synchronization
import Testing

/// A real file system in an image file, mounted at the daemon's state folder, that can lose power.
final class LoopVolume: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case ext4, xfs
    }

    private static let bytes: UInt64 = 2 << 30

    let kind: Kind
    let folder: TemporaryFolder
    /// Number of starts of the machine, each with its own image.
    private let lives = Mutex(0)
    private var image: String { folder.file("image-\(lives.withLock { $0 })") }
    private var mountPoint: String { DaemonProcess.state(in: folder) }

    private init(_ kind: Kind, in folder: TemporaryFolder) {
        self.kind = kind
        self.folder = folder
    }

    /// Creates and mounts the file system, runs `body`, and always unmounts it.
    ///
    /// - Throws: Errors of `body`; cancels the test if this machine cannot mount.
    static func with(
        _ kind: Kind, in folder: TemporaryFolder, _ body: (LoopVolume) async throws -> Void
    ) async throws {
        let volume = LoopVolume(kind, in: folder)
        guard getuid() == 0 else { try Test.cancel("not root: no file system can be mounted") }
        let files = FileManager.default
        for tool in ["/usr/sbin/mkfs.\(kind.rawValue)", "/usr/sbin/xfs_io"]
        where !files.isExecutableFile(atPath: tool) {
            try Test.cancel("\(tool) is missing: tools/setup --for test installs it")
        }
        try files.createDirectory(
            atPath: volume.mountPoint, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data().write(to: URL(filePath: volume.image))
        try FileHandle(forWritingTo: URL(filePath: volume.image)).truncate(atOffset: bytes)
        try await volume.run("/usr/sbin/mkfs.\(kind.rawValue)", ["-q", volume.image])
        do {
            try await volume.mount()
        } catch let failure as ToolFailed {
            try Test.cancel("this machine mounts no loop device: \(failure.complaint)")
        }
        do {
            try await body(volume)
        } catch {
            try? await volume.unmount()
            throw error
        }
        try await volume.unmount()
    }

    /// Loses unsynced data: the file system stops at once and writes nothing more, not even its
    /// journal.
    func losePower() async throws {
        try await run("/usr/sbin/xfs_io", ["-x", "-c", "shutdown", mountPoint])
    }

    /// Starts the machine again: the journal is replayed, and the rest is the disk's content.
    ///
    /// It starts from a copy of the image. The stopped file system stays in use while any process
    /// runs in a copy of this mount namespace, and mounting the same image would return it.
    func comeBack() async throws {
        try await unmount()
        let before = image
        lives.withLock { $0 += 1 }
        try await run("/usr/bin/cp", ["--sparse=always", before, image])
        try FileManager.default.removeItem(atPath: before)
        try await mount()
    }

    private func mount() async throws {
        // xfs refuses a second file system with the same UUID without `nouuid`.
        let options = kind == .xfs ? "loop,nouuid" : "loop"
        try await run("/usr/bin/mount", ["-o", options, image, mountPoint])
    }

    private func unmount() async throws { try await run("/usr/bin/umount", [mountPoint]) }

    private struct ToolFailed: Error {
        let complaint: String
    }

    private func run(_ tool: String, _ arguments: [String]) async throws {
        let process = try ChildProcess(tool, arguments, in: folder)
        let end = try await process.waitForEnd()
        guard end == .exited(0) else {
            throw ToolFailed(complaint: "\(tool): \(end) \(process.complaint)")
        }
    }
}
