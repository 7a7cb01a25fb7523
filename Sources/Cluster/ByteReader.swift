/// Reads what ``ByteWriter`` has written. Bytes that end early give ``ClusterError/notUnderstood``.
struct ByteReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Bytes that are not read yet.
    var left: Int { bytes.count - place }
    var isAtEnd: Bool { left == 0 }

    mutating func number<Number: FixedWidthInteger>(
        _: Number.Type = Number.self
    ) throws(ClusterError) -> Number {
        var value: Number = 0
        for (index, byte) in try take(Number.bitWidth / 8).enumerated() {
            value |= Number(truncatingIfNeeded: byte) << (8 * index)
        }
        return value
    }

    mutating func text() throws(ClusterError) -> String {
        let count = Int(try number(UInt16.self))
        return String(decoding: try take(count), as: UTF8.self)
    }

    mutating func block() throws(ClusterError) -> [UInt8] {
        let count = Int(try number(UInt32.self))
        return Array(try take(count))
    }

    private mutating func take(_ count: Int) throws(ClusterError) -> ArraySlice<UInt8> {
        guard bytes.count - place >= count else { throw .notUnderstood }
        defer { place += count }
        return bytes[place..<(place + count)]
    }
}
