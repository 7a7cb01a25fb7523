import NIOCore

/// A limit on the work for small records of a TLS connection.
///
/// Each record takes as long as some hundred bytes. A read full of one-byte records, or of key
/// updates, blocked the event loop for milliseconds.
struct TLSRecordWork {
    /// Small records at once. A small device may print a request byte by byte.
    private static let recordsMax = 1024.0
    /// Small records a second after that.
    private static let recordsPerSecond = 200.0
    /// A record with this much content costs nothing; a smaller one costs the missing fraction.
    private static let contentBytes = 16.0
    /// Cost of a key update, which computes six hashes. Peers need one in 2^24 records.
    private static let recordsPerKeyUpdate = 32.0
    /// Cost of a record that may be a key update: the library opens it, so only its length is known
    /// here. A body's last chunk has the same length.
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
    ///   - isOpened: Whether ``TLSRecordGate`` opens the record and so recognizes a key update,
    ///     which ``admitKeyUpdate()`` charges.
    /// - Returns: `false`: the connection must end.
    mutating func admit(bytes: Int, isOpened: Bool = true) -> Bool {
        left -=
            !isOpened && bytes == Self.keyUpdateBytes
            ? Self.recordsPerPossibleUpdate
            : max(0, 1 - Double(max(0, bytes)) / Self.contentBytes)
        return left >= 0
    }

    /// Charges a key update, in addition to its record; `false`: the connection must end.
    mutating func admitKeyUpdate() -> Bool {
        left -= Self.recordsPerKeyUpdate
        return left >= 0
    }
}
