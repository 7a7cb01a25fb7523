import CHardware
import Foundation

/// Decides when the memory of a crowd that has left goes back to the system.
///
/// The C library keeps what is freed in small blocks, for ever: after 1,000 viewers over TLS 1.2
/// some 50 MB. Returning it holds up whoever allocates meanwhile, 50 ms for 100 MiB. So it waits until
/// hardly anybody is connected, and is not repeated before the memory has grown again
/// ([decision 0090](../../Documentation/decisions/0090-what-a-crowd-leaves.md)).
struct FreedMemory {
    /// Nothing is returned while more connections than these are open.
    static let connectionsMax = 64
    /// Growth that is left alone.
    static let growthBytes = 16 << 20

    /// What is needed, as far as known: what was left by a return, or less that was seen since. The
    /// first look always returns what is free, because nothing is known before.
    private var neededBytes = 0

    /// - Parameters:
    ///   - bytes: Memory of the process's own, without files.
    ///   - connections: Open connections of all kinds.
    /// - Returns: Whether free memory should go back now; ``returned(leaving:)`` must follow.
    mutating func isDue(_ bytes: Int, connections: Int) -> Bool {
        neededBytes = min(neededBytes, bytes)
        return connections <= Self.connectionsMax && bytes > neededBytes + Self.growthBytes
    }

    /// - Parameter bytes: Memory of the process's own after a return.
    mutating func returned(leaving bytes: Int) {
        neededBytes = bytes
    }

    /// Gives what is free back. It may take 0.3 s if the heap had a gibibyte: not on a loop.
    static func giveBack() {
        pulsecast_return_free_pages()
    }

    /// - Returns: Bytes of this process's own memory; `nil` if the system does not say.
    static func ownBytes() -> Int? {
        guard let line = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
            return nil
        }
        // Resident pages, and those of them that are of files or shared.
        let pages = line.split(separator: " ").prefix(3).compactMap { Int($0) }
        guard pages.count == 3 else { return nil }
        return (pages[1] - pages[2]) * sysconf(CInt(_SC_PAGESIZE))
    }
}
