import Bytes
import Glibc
public import SegmentLog

/// How far a node's files follow the stream: the file ``ClusterFiles/position``.
///
/// Two slots are written in turn, each with a checksum, so that a torn write leaves the other one.
public struct NodePosition: Hashable, Sendable {
    public enum Role: UInt8, Sendable {
        /// The files are those of the position.
        case follower = 1
        /// The node has led since the position. Its files may have changes that the stream lacks.
        case leader = 2
        /// The files are a mixture: a copy has begun and not ended.
        case copying = 3
    }

    public var role: Role
    /// ``StreamState/identity``
    public var stream: Int64
    /// The last message of which all is applied; of a leader its claim.
    public var sequence: UInt64
    /// Term of that message: the history of which the files are a state.
    public var term: UInt64
    /// Changes of the next message that are applied, too. While copying: 0 until a file is changed.
    public var changes: Int

    public init(role: Role, stream: Int64, sequence: UInt64, term: UInt64, changes: Int = 0) {
        self.role = role
        self.stream = stream
        self.sequence = sequence
        self.term = term
        self.changes = changes
    }
}

/// The file with a node's position. One thread at a time.
public final class PositionFile {
    private static let slotBytes = 64
    private static let magic: UInt32 = 0x3143_5350  // "PSC1"

    private let disk: any Disk
    private var file: (any DiskFile)?
    private var count: UInt64 = 0

    /// - Parameter disk: The state folder.
    public init(_ disk: any Disk) { self.disk = disk }

    /// - Returns: `nil`: the node was in no cluster yet.
    public func read() throws(DiskError) -> NodePosition? {
        let file: any DiskFile
        do throws(DiskError) { file = try disk.open(ClusterFiles.position, .read) } catch {
            guard error.number == ENOENT else { throw error }
            return nil
        }
        var newest: (count: UInt64, position: NodePosition)?
        for slot in 0..<2 {
            let bytes = try file.readUp(to: Self.slotBytes, at: slot * Self.slotBytes)
            guard let found = Self.decode(bytes), found.count >= newest?.count ?? 0 else {
                continue
            }
            newest = found
        }
        count = newest?.count ?? 0
        return newest?.position
    }

    /// Writes and syncs.
    public func write(_ position: NodePosition) throws(DiskError) {
        count += 1
        let file: any DiskFile
        if let open = self.file { file = open } else { file = try open() }
        self.file = file
        let slot = Int(count % 2)
        try file.writeAll(encoded(position).span, at: slot * Self.slotBytes)
        try file.synchronize()
    }

    private func open() throws(DiskError) -> any DiskFile {
        do throws(DiskError) { return try disk.open(ClusterFiles.position, .write) } catch {
            guard error.number == ENOENT else { throw error }
        }
        let file = try disk.open(ClusterFiles.position, .create)
        try disk.synchronizeNames()
        return file
    }

    private func encoded(_ position: NodePosition) -> [UInt8] {
        var writer = ByteWriter()
        writer.add(Self.magic)
        writer.add(count)
        writer.add(position.role.rawValue)
        writer.add(position.stream)
        writer.add(position.sequence)
        writer.add(position.term)
        writer.add(UInt32(position.changes))
        writer.add(CRC32.value(of: writer.bytes))
        return writer.bytes
    }

    private static func decode(_ bytes: [UInt8]) -> (count: UInt64, position: NodePosition)? {
        var reader = ByteReader(bytes)
        do throws(ClusterError) {
            guard try reader.number(UInt32.self) == magic else { return nil }
            let count: UInt64 = try reader.number()
            guard let role = NodePosition.Role(rawValue: try reader.number()) else { return nil }
            let position = NodePosition(
                role: role, stream: try reader.number(), sequence: try reader.number(),
                term: try reader.number(), changes: Int(try reader.number(UInt32.self)))
            let end = bytes.count - reader.left
            guard try reader.number(UInt32.self) == CRC32.value(of: bytes[..<end]) else {
                return nil
            }
            return (count, position)
        } catch {
            return nil
        }
    }
}

extension NodePosition {
    /// Notes that a leader that has resigned may follow from its last message on: the stream has
    /// all that its files have.
    ///
    /// - Parameters:
    ///   - status: Of the replicator, after it has resigned.
    ///   - disk: The state folder.
    /// - Throws: ``DiskError``
    public static func writeResigned(
        _ status: Replicator.Status, to disk: any Disk
    ) throws(DiskError) {
        let file = PositionFile(disk)
        guard var position = try file.read() else { return }
        try disk.synchronizeNames()
        position = NodePosition(
            role: .follower, stream: position.stream, sequence: status.sequence,
            term: status.term)
        try file.write(position)
    }

    /// Forgets that the folder is a node's: its daemon is in no cluster, and will change the files.
    ///
    /// - Parameter disk: The state folder.
    /// - Throws: ``DiskError``
    public static func forget(on disk: any Disk) throws(DiskError) {
        guard try PositionFile(disk).read() != nil else { return }
        try SegmentLog.removeIfThere(ClusterFiles.position, on: disk)
        try disk.synchronizeNames()
    }

    /// - Parameter disk: The state folder.
    /// - Returns: Whether the folder is that of a node that does not lead: its files change without
    ///   the locks of SQLite and of the log.
    /// - Throws: ``DiskError``
    public static func isOfStandby(on disk: any Disk) throws(DiskError) -> Bool {
        guard let position = try PositionFile(disk).read() else { return false }
        return position.role != .leader
    }
}
