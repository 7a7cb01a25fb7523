import Synchronization

/// A bounded queue of byte records of any length between one producer and one consumer thread.
///
/// Words of 8 bytes in a ``RingBuffer``; a record is one word with its length, then its bytes,
/// padded to whole words. A record never wraps: where it would not fit before the end, the rest is
/// skipped, so that the consumer always sees one span.
///
///     │ 21 │ 21 bytes + 3 │ 8 │ 8 bytes │ … │ 9 │ 9 bytes + 7 │ skip ░░░░ │
///
/// What was pushed is shown to the consumer by ``publish()``, once a batch.
public final class ByteRing: Sendable {
    private static let wordBytes = MemoryLayout<UInt64>.size
    private static let skip = UInt64.max

    private let words: RingBuffer<UInt64>
    /// A longer record is a mistake of the caller's. Half of the ring, so that one always fits
    /// somewhere once the ring is empty.
    public let recordBytesMax: Int

    /// - Parameter capacity: Bytes; a power of two, at least 64. Every record takes 8 more than
    ///   its length, rounded up to 8.
    public init(capacity: Int) {
        precondition(capacity >= 64, "too small to be of use")
        words = RingBuffer(capacity: capacity / Self.wordBytes)
        recordBytesMax = capacity / 2 - Self.wordBytes
    }

    /// How full it is, 0…1, as of a moment ago. Any thread.
    public var fillRatio: Double { words.fillRatio }

    /// Whether nothing is published, as of a moment ago. Any thread.
    public var isEmpty: Bool { words.isEmpty }

    /// Reserves a record and lets `fill` write it in place. Producer only.
    ///
    /// - Parameters:
    ///   - bytes: Its length, at most ``recordBytesMax``.
    ///   - fill: Writes all of it; what it leaves alone holds bytes of older records.
    /// - Returns: `false` when there is no room; `fill` was not called.
    public func push(bytes: Int, fill: (inout MutableSpan<UInt8>) -> Void) -> Bool {
        guard let first = reserve(bytes: bytes) else { return false }
        let start = unsafe UnsafeMutableRawPointer(words.slots + first + 1)
        var span = unsafe MutableSpan<UInt8>(
            _unsafeStart: start.bindMemory(to: UInt8.self, capacity: bytes), count: bytes)
        fill(&span)
        return true
    }

    /// Copies `header` and `payload` behind each other into one record. Producer only.
    ///
    /// - Returns: `false` when there is no room; nothing was stored.
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

    /// Shows the consumer all that was pushed since the last time. Producer only.
    public func publish() {
        let pending = unsafe words.producer.pointee.pending
        // Release: records must be written before the consumer can see them.
        unsafe words.producer.pointee.index.store(pending, ordering: .releasing)
    }

    /// Takes what is published, oldest first, and frees its room together. Consumer only.
    ///
    /// - Parameters:
    ///   - limit: At most so many records.
    ///   - body: Gets each record, valid during the call; does not touch this ring.
    /// - Returns: How many records were taken.
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

    /// - Returns: The slot of the record's length, which is written; `nil` when there is no room.
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

    /// With the word that holds the length.
    private static func words(for bytes: Int) -> Int { 1 + (bytes + wordBytes - 1) / wordBytes }
}
