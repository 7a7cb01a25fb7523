import Bytes
import Foundation
import SensorModel
import Synchronization

/// Revocations that the registry cannot take now: the file `revocations` beside it.
///
/// The file's space is reserved in advance, so that a full disk takes a revocation, too. A line has
/// ``lineBytes`` bytes, padded with spaces before its line feed. A line of zeros is free:
///
///     share|device  number  µs since 1970  hash of the secret  CRC-32 of all before
final class RevocationNotes: Sendable {
    static let fileName = "revocations"
    static let lineBytes = 128
    /// Devices and shares that can be revoked while the registry cannot be written.
    static let linesMax = 512

    private let path: String
    /// Held while the file is changed.
    private let changing = Mutex<Void>(())

    init(folder: String) {
        path = folder + "/" + Self.fileName
    }

    /// Creates the file if it is missing. It is not synced, because only its space matters.
    ///
    /// Without the file a revocation on a full disk is kept in memory alone.
    func setAside() {
        changing.withLock { _ in
            let lines = lines()
            // A disk without room for the whole file leaves a shorter one, which is created again.
            guard lines.count < Self.linesMax, lines.allSatisfy({ $0 == nil }) else { return }
            _ = FileManager.default.createFile(
                atPath: path, contents: Data(count: Self.lineBytes * Self.linesMax),
                attributes: [.posixPermissions: 0o600])
        }
    }

    /// The noted revocations; unreadable lines are left out.
    func read() -> [Revocation] {
        lines().compactMap { $0.flatMap(Self.decode) }
    }

    /// - Returns: Whether the note is on disk.
    func note(_ revocation: Revocation) -> Bool {
        changing.withLock { _ in
            guard let place = lines().firstIndex(of: nil) else { return false }
            return write(Self.encode(revocation), at: [place])
        }
    }

    /// Frees the lines of revocations that the registry has. A line that stays is applied again at
    /// the next start, which changes nothing.
    func remove(_ revocations: [Revocation]) {
        changing.withLock { _ in
            let places = lines().enumerated().filter { line in
                line.element.flatMap(Self.decode).map(revocations.contains) ?? false
            }
            _ = write(Data(count: Self.lineBytes), at: places.map(\.offset))
        }
    }

    /// The file's lines; `nil`: a free one.
    private func lines() -> [String?] {
        let bytes = FileManager.default.contents(atPath: path) ?? Data()
        return stride(from: 0, to: bytes.count - Self.lineBytes + 1, by: Self.lineBytes).map {
            let line = bytes[(bytes.startIndex + $0)..<(bytes.startIndex + $0 + Self.lineBytes)]
            return line.allSatisfy { $0 == 0 } ? nil : String(decoding: line, as: UTF8.self)
        }
    }

    private func write(_ line: Data, at places: [Int]) -> Bool {
        guard !places.isEmpty else { return true }
        do {
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            for place in places {
                try file.seek(toOffset: UInt64(place * Self.lineBytes))
                try file.write(contentsOf: line)
            }
            try file.synchronize()
            try file.close()
            return true
        } catch {
            return false
        }
    }

    // MARK: Lines

    private static func encode(_ revocation: Revocation) -> Data {
        let (kind, number) =
            switch revocation.target {
            case .share(let key): ("share", key.rawValue)
            case .device(let id): ("device", id.rawValue)
            }
        let hash = Hexadecimal.text(of: revocation.hash.bytes)
        let text = "\(kind) \(number) \(revocation.time.microseconds) \(hash)"
        let line = "\(text) \(Hexadecimal.text(of: CRC32.value(of: text.utf8)))"
        let spaces = String(repeating: " ", count: lineBytes - 1 - line.utf8.count)
        return Data((line + spaces + "\n").utf8)
    }

    private static func decode(_ line: String) -> Revocation? {
        let words = line.split { $0 == " " || $0 == "\n" }
        guard words.count == 5, let number = UInt32(words[1]), let time = Int64(words[2]),
            let hash = Hexadecimal.bytes(of: words[3].utf8).flatMap(SecretHash.init(bytes:)),
            UInt32(words[4], radix: 16)
                == CRC32.value(of: words[..<4].joined(separator: " ").utf8)
        else { return nil }
        let target: Revocation.Target
        switch words[0] {
        case "share": target = .share(ShareKey(rawValue: number))
        case "device": target = .device(DeviceID(rawValue: number))
        default: return nil
        }
        return Revocation(
            target: target, hash: hash, time: Timestamp(microseconds: time))
    }
}
