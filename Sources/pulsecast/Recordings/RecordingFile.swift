import Foundation
import Recordings
import Runtime

/// A recording on disk: a file, or a neutral folder.
enum RecordingFile {
    private static let folderFiles = ["imu.csv", "gps.csv", "hr.csv"]
    private static let bytesMax = 2 << 30

    /// - Parameter path: Path of a FIT, GPX, TCX, CSV or NDJSON file, or of a neutral folder.
    /// - Returns: The recording as received by a daemon, with counts of unusable items.
    /// - Throws: ``CommandFailure`` that says what is wrong with the file.
    static func read(_ path: String) throws -> Recording {
        let values = try? URL(fileURLWithPath: path).resourceValues(forKeys: [.isDirectoryKey])
        guard let isFolder = values?.isDirectory else {
            throw CommandFailure(
                "there is no \(path): name a FIT, GPX, TCX, CSV or NDJSON file, or a folder of"
                    + " imu.csv, gps.csv, hr.csv")
        }
        let name = URL(fileURLWithPath: path).lastPathComponent
        do {
            if isFolder {
                return try Recording.read(name: name, contents: .folder(try folder(path))).sent()
            }
            return try Recording.read(name: name, contents: .file(try bytes(path))).sent()
        } catch let error as RecordingError {
            throw CommandFailure("\(error)")
        }
    }

    private static func folder(_ path: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in folderFiles {
            let file = path + "/" + name
            if FileManager.default.fileExists(atPath: file) { files[name] = try bytes(file) }
        }
        return files
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("\(path) cannot be read: check its permissions")
        }
        guard data.count <= bytesMax else {
            throw CommandFailure("\(path) has \(data.count >> 20) MiB, at most 2048 can be read")
        }
        return Array(data)
    }
}
