import Foundation
import Runtime

/// Measures synced writes in the way the log performs them.
struct DiskTimer {
    private static let writes = 15

    let folder: String

    /// - Returns: Median time of writing and syncing 4 KiB; `nil` if that fails.
    func medianMilliseconds() -> Double? {
        let path = folder + "/doctor-\(ProcessInfo.processInfo.processIdentifier)"
        guard
            FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { return nil }
        defer {
            // A leftover file of 60 KB is harmless on a disk that refuses to remove it.
            try? FileManager.default.removeItem(atPath: path)
        }
        guard let file = FileHandle(forWritingAtPath: path) else { return nil }
        defer { try? file.close() }
        let block = Data(repeating: 0x5A, count: 4096)
        var times: [UInt64] = []
        for _ in 0..<Self.writes {
            let start = WallClock.monotonicMicroseconds()
            do {
                try file.write(contentsOf: block)
                try file.synchronize()
            } catch {
                return nil
            }
            times.append(WallClock.monotonicMicroseconds() - start)
        }
        return Double(times.sorted()[Self.writes / 2]) / 1000
    }
}
