import NIOCore
import Secrets

/// TLS records in plaintext or ciphertext: type, version, length, then that many bytes (RFC 8446,
/// section 5.1).
extension ByteBuffer {
    private static let headerBytes = 5
    /// Longest body of a record.
    private static let bodyBytesMax = 16_384 + 256

    /// The length of the record at the reader index with its header; `nil` while it is incomplete.
    ///
    /// - Throws: ``NotTLSRecords`` if it is longer than any record.
    func firstRecordBytes() throws(NotTLSRecords) -> Int? {
        guard let body = getInteger(at: readerIndex + 3, as: UInt16.self) else { return nil }
        guard body <= Self.bodyBytesMax else { throw NotTLSRecords() }
        let length = Self.headerBytes + Int(body)
        return length <= readableBytes ? length : nil
    }

    /// Removes and returns the next record.
    mutating func readRecord() throws(NotTLSRecords) -> ByteBuffer? {
        guard let length = try firstRecordBytes() else { return nil }
        return readSlice(length: length)
    }

    /// - Returns: Number of records; `nil` if the buffer is not made of whole ones.
    func countRecords() -> UInt64? {
        var (rest, count) = (self, UInt64(0))
        while rest.readableBytes > 0 {
            guard (try? rest.readRecord()) != nil else { return nil }
            count += 1
        }
        return count
    }

    /// Bytes 11…42, if this is a ClientHello's record.
    var clientRandom: [UInt8] { getBytes(at: readerIndex + 11, length: 32) ?? [] }

    /// The suite, if this is a ServerHello's record: it follows the session ID, whose length is
    /// byte 43.
    var serverSuite: TLSTrafficKeys.Suite? {
        guard getInteger(at: readerIndex, as: UInt8.self) == 22,
            getInteger(at: readerIndex + 5, as: UInt8.self) == 2,
            let sessionBytes = getInteger(at: readerIndex + 43, as: UInt8.self),
            let suite = getInteger(at: readerIndex + 44 + Int(sessionBytes), as: UInt16.self)
        else { return nil }
        return TLSTrafficKeys.Suite(rawValue: suite)
    }
}

/// The error for bytes that are not TLS records.
struct NotTLSRecords: Error {}
