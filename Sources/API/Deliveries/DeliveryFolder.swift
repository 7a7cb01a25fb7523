import Foundation
import SensorModel

/// A folder of this machine that gets finished runs as files, in a folder for each device. Blocks
/// on the disk.
struct DeliveryFolder: Sendable {
    /// Room that stays free on the disk: the log needs it more.
    static let freeBytesMin = 1 << 30

    let path: String

    /// The daemon's owner set another folder, or none, since the target was made.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// Begins a file, which has its name once it is whole.
    ///
    /// - Parameters:
    ///   - run: What the file has.
    ///   - bytes: Room that it may need.
    /// - Returns: The empty file.
    /// - Throws: ``Refusal``
    func begin(_ run: DeliveredRun, bytes: Int) throws(Refusal) -> File {
        let folder = path + "/" + Self.folderName(of: run.device)
        let files = FileManager.default
        try? files.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let type = (try? files.attributesOfItem(atPath: folder))?[.type] as? FileAttributeType
        guard type == .typeDirectory else {
            throw Refusal(
                description: "the folder \(folder) cannot be made: check deliveries.folder, and"
                    + " who may write there")
        }
        let free = (try? files.attributesOfFileSystem(forPath: folder))?[.systemFreeSize]
        guard let free = free as? Int, free - bytes >= Self.freeBytesMin else {
            throw Refusal(description: "less than 1 GiB is free on the disk of \(path)")
        }
        return try File(folder: folder, name: run.fileName)
    }

    /// A device's name, which is no path and not hidden.
    static func folderName(of device: String) -> String {
        device.first == "." ? "_" + device.dropFirst() : device
    }

    /// A file that is being written.
    final class File: Sendable {
        private let partial: String
        private let whole: String
        private let handle: FileHandle

        fileprivate init(folder: String, name: String) throws(Refusal) {
            partial = folder + "/." + name + ".partial"
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
