import NIOCore

/// What the records of a TLS connection may cost beside their bytes. Each takes as long as some
/// hundred bytes do: a read of records of one byte, or of key updates, held the event loop for
/// milliseconds.
struct TLSRecordWork {
    /// Small records at once. A small device may print a request byte by byte.
    private static let recordsMax = 1024.0
    /// Small records a second after that.
    private static let recordsPerSecond = 200.0
    /// A record with so much content costs nothing, one with less its missing part.
    private static let contentBytes = 16.0
    /// A key update makes keys by six hashes. Peers need one in 2^24 records.
    private static let recordsPerKeyUpdate = 32.0
    /// The same for a record that may be one: the library opens it, and only its length is known. A
    /// body's last chunk is as long.
    private static let recordsPerPossibleUpdate = 8.0
    private static let keyUpdateBytes = 5

    private var left = recordsMax
    private var time: NIODeadline?

    mutating func advance(to now: NIODeadline) {
        if let time {
            let seconds = Double((now - time).nanoseconds) / 1e9
            left = min(Self.recordsMax, left + max(0, seconds) * Self.recordsPerSecond)
        }
        time = now
    }

    /// - Parameters:
    ///   - bytes: Bytes of content.
    ///   - isOpened: Whether its kind will be known here: see ``admitsKeyUpdate()``.
    /// - Returns: `false`: the connection must end.
    mutating func admits(bytes: Int, isOpened: Bool = true) -> Bool {
        left -=
            !isOpened && bytes == Self.keyUpdateBytes
            ? Self.recordsPerPossibleUpdate
            : max(0, 1 - Double(max(0, bytes)) / Self.contentBytes)
        return left >= 0
    }

    /// The same for a key update, besides its record.
    mutating func admitsKeyUpdate() -> Bool {
        left -= Self.recordsPerKeyUpdate
        return left >= 0
    }
}
