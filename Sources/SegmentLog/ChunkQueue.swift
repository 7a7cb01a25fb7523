/// The chunk being filled, the full chunks, and spare memory for further ones.
struct ChunkQueue: Sendable {
    /// Maximum number of spares; more are freed, so that a burst does not hold memory for ever.
    private static let spareMax = 4

    var current: Chunk
    var filled: [Chunk] = []
    private var spare: [[UInt8]] = []
    /// Memory of a chunk; a larger record has a chunk of its own.
    private let capacity: Int

    /// - Parameters:
    ///   - header: Header of the segment that the bytes belong to.
    ///   - position: Position of the first byte in the file.
    ///   - offset: Offset of the first record.
    ///   - segmentBytes: Expected size of the segment; a chunk needs no more memory than that.
    init(header: SegmentHeader, position: Int, offset: UInt64, segmentBytes: Int) {
        current = Chunk(bytes: [], header: header, position: position, firstOffset: offset)
        capacity = min(segmentBytes, Chunk.capacityMax)
    }

    /// Bytes in memory that were not yet taken out for writing.
    var pendingBytes: Int { filled.reduce(current.count) { $0 + $1.count } }

    /// Makes sure that `current` can take `bytes` more at its end.
    mutating func makeRoom(for bytes: Int) {
        guard current.room < bytes else { return }
        let next = Chunk(
            bytes: memory(of: bytes), header: current.header, position: current.endPosition,
            firstOffset: current.endOffset)
        setAside(next: next)
    }

    /// Begins another segment for the bytes that follow.
    mutating func begin(_ header: SegmentHeader, position: Int, offset: UInt64) {
        setAside(
            next: Chunk(bytes: [], header: header, position: position, firstOffset: offset))
    }

    /// Takes the current chunk out of the line; `nil` if it is empty.
    mutating func takeCurrent() -> Chunk? {
        guard current.count > 0 else { return nil }
        // The next append allocates memory for the next chunk.
        setAside(
            next: Chunk(
                bytes: [], header: current.header, position: current.endPosition,
                firstOffset: current.endOffset))
        return filled.popLast()
    }

    /// Keeps the memory of a finished chunk for reuse.
    mutating func recycle(_ chunk: consuming Chunk) {
        guard chunk.bytes.count == capacity, spare.count < Self.spareMax else { return }
        spare.append(chunk.bytes)
    }

    private mutating func setAside(next: Chunk) {
        if current.count > 0 {
            filled.append(current)
        } else if current.bytes.count == capacity {
            spare.append(current.bytes)
        }
        current = next
    }

    private mutating func memory(of bytes: Int) -> [UInt8] {
        if bytes <= capacity, let memory = spare.popLast() { return memory }
        return [UInt8](repeating: 0, count: max(bytes, capacity))
    }
}
