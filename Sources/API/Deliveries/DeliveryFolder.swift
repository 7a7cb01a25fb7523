import Foundation
import Runtime
import SensorModel

/// A folder of this machine that gets finished runs as files, in a folder for each device. Blocks
/// on the disk.
struct DeliveryFolder: Sendable {
    /// Room that stays free on the disk: the log needs it more.
    static let freeBytesMin = 1 << 30

    let path: String
    /// One thing at a time, on a queue of its own: the folder may be on a slow disk, or on another
    /// machine's.
    let work = BackgroundWork(serial: "pulsecast.deliveries")

    /// The daemon's owner set another folder, or none, since the target was made.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// Begins a file, which has its name once it is whole.
    ///
    /// - Parameters:
    ///   - run: What the file has.
    ///   - name: Name of the try: one that hangs must not meet the next.
    ///   - bytes: Room that it may need.
    /// - Returns: The empty file.
    /// - Throws: ``Refusal``
    func begin(
        _ run: DeliveredRun, named name: String, bytes: Int
    ) throws(Refusal) -> File {
        let folder = path + "/" + Self.folderName(of: run.device)
        let files = FileManager.default
        try? files.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let type = (try? files.attributesOfItem(atPath: folder))?[.type] as? FileAttributeType
        guard type == .typeDirectory else {
            throw Refusal(
                description: "the folder \(folder) cannot be made: check deliveries.folder, and"
                    + " who may write there")
        }
        guard let free = StateFolder.freeBytes(at: folder), free - bytes >= Self.freeBytesMin
        else {
            throw Refusal(description: "less than 1 GiB is free on the disk of \(path)")
        }
        return try File(folder: folder, name: run.fileName, partialName: name)
    }

    /// A device's name, which is no path and not hidden, and no other device's.
    static func folderName(of device: String) -> String {
        device.first == "." || device.first == "_" ? "_" + device : device
    }

    /// Removes what a crash left.
    func removePartials() {
        let files = FileManager.default
        for folder in (try? files.contentsOfDirectory(atPath: path)) ?? [] {
            let inner = (try? files.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []
            for name in inner where name.hasPrefix(".") && name.hasSuffix(Self.partialSuffix) {
                try? files.removeItem(atPath: "\(path)/\(folder)/\(name)")
            }
        }
    }

    private static let partialSuffix = ".fit.partial"

    /// A file that is being written.
    final class File: Sendable {
        private let partial: String
        private let whole: String
        private let handle: FileHandle

        private let folder: String

        fileprivate init(
            folder: String, name: String, partialName: String
        ) throws(Refusal) {
            self.folder = folder
            partial = "\(folder)/.\(partialName)\(DeliveryFolder.partialSuffix)"
            whole = folder + "/" + name
            let isMade = FileManager.default.createFile(
                atPath: partial, contents: nil, attributes: [.posixPermissions: 0o640])
            guard isMade, let handle = FileHandle(forWritingAtPath: partial) else {
                throw Refusal(description: "\(partial) cannot be made: see who may write there")
            }
            self.handle = handle
        }

        func append(_ part: [UInt8]) throws(Refusal) {
            do { try handle.write(contentsOf: Data(part)) } catch { throw refusal(error) }
        }

        /// Gives the file its name, once it is on the disk. An earlier file of the same run goes.
        func end() throws(Refusal) {
            do {
                try handle.synchronize()
                try handle.close()
                try? FileManager.default.removeItem(atPath: whole)
                try FileManager.default.moveItem(atPath: partial, toPath: whole)
                // The name has to survive a power loss, too.
                try? FileHandle(forReadingAtPath: folder)?.synchronize()
            } catch {
                drop()
                throw refusal(error)
            }
        }

        /// Removes what was written so far.
        func drop() { try? FileManager.default.removeItem(atPath: partial) }

        private func refusal(_ error: any Error) -> Refusal {
            Refusal(description: "\(whole) cannot be written: \(error.localizedDescription)")
        }
    }
}
