import Foundation

/// Times synced writes, as the log does them.
struct DiskTimer {
    private static let writes = 15

    let folder: String

    /// - Returns: Of writing 4 KiB and syncing them; `nil` where that cannot be done.
    func medianMilliseconds() -> Double? {
        let path = folder + "/doctor-\(ProcessInfo.processInfo.processIdentifier)"
        guard
            FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { return nil }
        defer {
            // A file of 60 KB that cannot be removed is the smallest of such a disk's troubles.
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
