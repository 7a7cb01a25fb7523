import Synchronization

/// A bounded queue of byte records of any length between one producer and one consumer thread.
///
/// It uses words of 8 bytes in a ``RingBuffer``. A record is one word with its length, then its
/// bytes, padded to whole words. A record never wraps: if it does not fit before the end, the rest
/// is skipped, so that the consumer always sees one span.
///
///     │ 21 │ 21 bytes + 3 │ 8 │ 8 bytes │ … │ 9 │ 9 bytes + 7 │ skip ░░░░ │
///
/// The producer shows pushed records to the consumer by ``publish()``, once a batch.
public final class ByteRing: Sendable {
    private static let wordBytes = MemoryLayout<UInt64>.size
    private static let skip = UInt64.max

    private let words: RingBuffer<UInt64>
    /// Limit of a record; a longer one is a caller's mistake. It is half of the ring, so that a
    /// record always fits into an empty ring.
    public let recordBytesMax: Int

    /// - Parameter capacity: Bytes; a power of two, at least 64. Every record needs 8 more than its
    ///   length, rounded up to 8.
    public init(capacity: Int) {
        precondition(capacity >= 64, "too small to be of use")
        words = RingBuffer(capacity: capacity / Self.wordBytes)
        recordBytesMax = capacity / 2 - Self.wordBytes
    }

    /// Fill ratio, 0…1; it may be slightly out of date. Any thread.
    public var fillRatio: Double { words.fillRatio }

    /// Whether no record is published; it may be slightly out of date. Any thread.
    public var isEmpty: Bool { words.isEmpty }

    /// Position behind the last pushed record; positions only grow. Producer only.
    public var pushedEnd: Int { unsafe words.producer.pointee.pending }

    /// Position up to which records are consumed; it may be slightly out of date. Any thread.
    public var consumedEnd: Int { unsafe words.consumer.pointee.index.load(ordering: .relaxed) }

    /// Reserves a record and lets `fill` write it in place. Producer only.
    ///
    /// - Parameters:
    ///   - bytes: The record's length, at most ``recordBytesMax``.
    ///   - fill: Writes all of it; unwritten bytes keep values of older records.
    /// - Returns: `false` if there is no space; `fill` was not called.
    public func push(bytes: Int, fill: (inout MutableSpan<UInt8>) -> Void) -> Bool {
        guard let first = reserve(bytes: bytes) else { return false }
        let start = unsafe UnsafeMutableRawPointer(words.slots + first + 1)
        var span = unsafe MutableSpan<UInt8>(
            _unsafeStart: start.bindMemory(to: UInt8.self, capacity: bytes), count: bytes)
        fill(&span)
        return true
    }

    /// Copies `header` and then `payload` into one record. Producer only.
    ///
    /// - Returns: `false` if there is no space; nothing was stored.
    public func push(header: Span<UInt8>, payload: Span<UInt8>) -> Bool {
        guard let first = reserve(bytes: header.count + payload.count) else { return false }
        let start = unsafe UnsafeMutableRawPointer(words.slots + first + 1)
        unsafe header.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            unsafe start.copyMemory(from: base, byteCount: source.count)
        }
        unsafe payload.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            unsafe (start + header.count).copyMemory(from: base, byteCount: source.count)
        }
        return true
    }

    /// Shows the consumer all records pushed since the last call. Producer only.
    public func publish() {
        let pending = unsafe words.producer.pointee.pending
        // Release: records must be written before the consumer can see them.
        unsafe words.producer.pointee.index.store(pending, ordering: .releasing)
    }

    /// Consumes published records, oldest first, and frees their space together. Consumer only.
    ///
    /// - Parameters:
    ///   - limit: Maximum number of records to consume.
    ///   - body: Receives each record, valid during the call; must not use this ring.
    /// - Returns: The number of records consumed.
    public func drain(limit: Int = .max, _ body: (Span<UInt8>) -> Void) -> Int {
        var head = unsafe words.consumer.pointee.index.load(ordering: .relaxed)
        let end = head + words.ready(from: head, wanted: .max)
        var count = 0
        while head < end, count < limit {
            let slot = head & words.mask
            let length = unsafe words.slots[slot]
            guard length != Self.skip else {
                head += words.capacity - slot
                continue
            }
            let bytes = Int(length)
            let start = unsafe UnsafeRawPointer(words.slots + slot + 1)
            body(
                unsafe Span(
                    _unsafeStart: start.assumingMemoryBound(to: UInt8.self), count: bytes))
            head += Self.words(for: bytes)
            count += 1
        }
        // Release: records must be read before the producer can write over them.
        unsafe words.consumer.pointee.index.store(head, ordering: .releasing)
        return count
    }

    /// Looks at the oldest published record without consuming it. Consumer only.
    ///
    /// - Parameter body: Receives the record, valid during the call.
    /// - Returns: The result of `body`; `nil` if no record is published.
    public func peek<Result>(_ body: (Span<UInt8>) -> Result) -> Result? {
        var head = unsafe words.consumer.pointee.index.load(ordering: .relaxed)
        let end = head + words.ready(from: head, wanted: .max)
        while head < end {
            let slot = head & words.mask
            let length = unsafe words.slots[slot]
            guard length != Self.skip else {
                head += words.capacity - slot
                continue
            }
            let start = unsafe UnsafeRawPointer(words.slots + slot + 1)
            return body(
                unsafe Span(
                    _unsafeStart: start.assumingMemoryBound(to: UInt8.self), count: Int(length)))
        }
        return nil
    }

    /// - Returns: The slot of the record's length, already written; `nil` if there is no space.
    private func reserve(bytes: Int) -> Int? {
        precondition(bytes >= 0 && bytes <= recordBytesMax, "record longer than the ring allows")
        let tail = unsafe words.producer.pointee.pending
        let slot = tail & words.mask
        let needed = Self.words(for: bytes)
        let untilEnd = words.capacity - slot
        let skipped = needed <= untilEnd ? 0 : untilEnd
        guard words.room(from: tail, wanted: skipped + needed) >= skipped + needed else {
            return nil
        }
        if skipped > 0 { unsafe words.slots[slot] = Self.skip }
        let first = (tail + skipped) & words.mask
        unsafe words.slots[first] = UInt64(bytes)
        unsafe words.producer.pointee.pending = tail + skipped + needed
        return first
    }

    /// Words of a record, with the word for the length.
    private static func words(for bytes: Int) -> Int { 1 + (bytes + wordBytes - 1) / wordBytes }
}
