import Bytes
import Glibc
import SegmentLog
import SensorModel

/// The files of a backup. This file alone defines the backup, and a rename replaces it. So after
/// any interruption the backup is either the old one or the new one.
struct BackupManifest: Hashable, Sendable {
    static let fileName = "backup.json"
    static let versionKnown: Int64 = 1

    struct File: Hashable, Sendable {
        /// Name of a segment or of the registry in the state folder.
        var name: String
        /// Name in the backup: the original name and the checksum, so different contents never
        /// collide.
        var stored: String
        var bytes: Int
        /// CRC-32C.
        var checksum: UInt32
        /// Fingerprint of a sealed segment, which identifies it without reading; `nil` for other
        /// files.
        var fingerprint: UInt32?
    }

    var madeAt: Timestamp
    /// Segments, oldest first.
    var log: [File]
    var registry: File

    var files: [File] { log + [registry] }

    /// - Returns: `nil` if the folder holds no backup.
    /// - Throws: ``DiskError``, ``BackupError``
    static func read(from disk: any Disk) throws -> Self? {
        let file: any DiskFile
        do throws(DiskError) { file = try disk.open(fileName, .read) } catch {
            guard error.number == ENOENT else { throw error }
            return nil
        }
        return try Self(try file.readUp(to: try file.size(), at: 0))
    }

    /// - Throws: ``BackupError/unreadableManifest``, ``BackupError/newer(version:)``
    init(_ text: [UInt8]) throws(BackupError) {
        guard let json = try? JSONValue(parsing: text), let version = json["version"]?.int64 else {
            throw .unreadableManifest
        }
        guard version <= Self.versionKnown else { throw .newer(version: version) }
        let segments = json["log"]?.array?.map { File($0) }
        guard let madeAt = json["madeAt"]?.double.flatMap({ Timestamp(secondsSince1970: $0) }),
            let segments, !segments.contains(nil),
            let registry = json["registry"].flatMap({ File($0) })
        else { throw .unreadableManifest }
        self.init(madeAt: madeAt, log: segments.compactMap(\.self), registry: registry)
    }

    init(madeAt: Timestamp, log: [File], registry: File) {
        self.madeAt = madeAt
        self.log = log
        self.registry = registry
    }

    /// Text of the file: a line for each file of the backup.
    var text: [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.integer("version", Self.versionKnown)
            $0.seconds("madeAt", microseconds: madeAt.microseconds)
            $0.object("registry") { registry.write(to: &$0) }
            $0.array("log") { writer in
                for file in log { writer.object { file.write(to: &$0) } }
            }
        }
        writer.newline()
        return writer.takeBytes()
    }
}

extension BackupManifest.File {
    /// `nil` if a value is missing or a name leads out of its folder.
    fileprivate init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, let stored = json["stored"]?.string,
            !name.contains("/"), !stored.contains("/"),
            let bytes = json["bytes"]?.int64, bytes >= 0,
            let checksum = json["checksum"]?.int64.flatMap({ UInt32(exactly: $0) })
        else { return nil }
        let fingerprint = json["fingerprint"]?.int64.flatMap { UInt32(exactly: $0) }
        self.init(
            name: name, stored: stored, bytes: Int(bytes), checksum: checksum,
            fingerprint: fingerprint)
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.string("name", name)
        writer.string("stored", stored)
        writer.integer("bytes", Int64(bytes))
        writer.integer("checksum", Int64(checksum))
        writer.integer("fingerprint", fingerprint.map { Int64($0) })
    }
}
