public import Synchronization

/// A bounded queue between one producer thread and one consumer thread, without locks.
///
///      consumer takes here          producer stores here
///              head                       tail
///               ▼                          ▼
///     ┌────┬────┬────┬────┬────┬────┬────┬────┐
///     │    │    │ e2 │ e3 │ e4 │ e5 │    │    │   slot of index i: i mod capacity
///     └────┴────┴────┴────┴────┴────┴────┴────┘
///
/// Both indices only grow. Each side keeps the other's index as last read, and reads it again only
/// when that is not enough. So the two cache lines move between cores once a batch, not once an
/// element.
///
/// The only unchecked `Sendable` of the product. The plain variables of a side lie in that side's
/// own cache lines, and a slot changes owner by the release store of an index.
@safe
public final class RingBuffer<Element>: @unchecked Sendable {
    /// The fields of one side: its index, which the other side reads, and two plain fields.
    @usableFromInline
    struct Side: ~Copyable {
        @usableFromInline let index: Atomic<Int>
        /// The other side's index as last read.
        @usableFromInline var opposite = 0
        /// Producer: the index to publish next. Consumer: unused.
        @usableFromInline var pending = 0

        @usableFromInline init() { index = Atomic(0) }
    }

    /// Two lines of 64 bytes: processors fetch lines in pairs.
    @usableFromInline static var lineBytes: Int { 128 }

    public let capacity: Int
    @usableFromInline let mask: Int
    @usableFromInline let slots: UnsafeMutablePointer<Element>
    @usableFromInline let producer: UnsafeMutablePointer<Side>
    @usableFromInline let consumer: UnsafeMutablePointer<Side>

    /// - Parameter capacity: Number of elements; a power of two.
    public init(capacity: Int) {
        precondition(capacity > 0 && capacity.nonzeroBitCount == 1, "not a power of two")
        self.capacity = capacity
        mask = capacity - 1
        let line = Self.lineBytes
        unsafe slots = UnsafeMutableRawPointer.allocate(
            byteCount: capacity * MemoryLayout<Element>.stride,
            alignment: max(line, MemoryLayout<Element>.alignment)
        ).bindMemory(to: Element.self, capacity: capacity)
        unsafe producer = Self.makeSide()
        unsafe consumer = Self.makeSide()
    }

    private static func makeSide() -> UnsafeMutablePointer<Side> {
        let raw = UnsafeMutableRawPointer.allocate(byteCount: lineBytes, alignment: lineBytes)
        let side = unsafe raw.bindMemory(to: Side.self, capacity: 1)
        unsafe side.initialize(to: Side())
        return unsafe side
    }

    deinit {
        while pop() != nil {}
        unsafe producer.deinitialize(count: 1)
        unsafe consumer.deinitialize(count: 1)
        unsafe UnsafeMutableRawPointer(producer).deallocate()
        unsafe UnsafeMutableRawPointer(consumer).deallocate()
        unsafe UnsafeMutableRawPointer(slots).deallocate()
    }

    /// Fill ratio, 0…1; it may be slightly out of date. Any thread.
    public var fillRatio: Double { Double(count) / Double(capacity) }

    /// Number of elements; it may be slightly out of date. Any thread.
    @inlinable
    public var count: Int {
        // The head comes first: in the other order a fast consumer could make the count negative.
        let head = unsafe consumer.pointee.index.load(ordering: .acquiring)
        let tail = unsafe producer.pointee.index.load(ordering: .acquiring)
        return min(tail - head, capacity)
    }

    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// Appends an element. Producer only.
    ///
    /// - Returns: `false` if the ring is full; `element` was not stored.
    @inlinable
    public func push(_ element: Element) -> Bool {
        let tail = unsafe producer.pointee.index.load(ordering: .relaxed)
        guard room(from: tail, wanted: 1) > 0 else { return false }
        unsafe (slots + (tail & mask)).initialize(to: element)
        // Release: the slot must be written before the consumer can see it.
        unsafe producer.pointee.index.store(tail + 1, ordering: .releasing)
        return true
    }

    /// Stores as many of `elements` as fit and shows them to the consumer together. Producer only.
    ///
    /// - Returns: The number of stored elements, from the first on.
    @inlinable
    public func push(contentsOf elements: Span<Element>) -> Int {
        let tail = unsafe producer.pointee.index.load(ordering: .relaxed)
        let count = min(elements.count, room(from: tail, wanted: elements.count))
        guard count > 0 else { return 0 }
        for index in 0..<count {
            unsafe (slots + ((tail + index) & mask)).initialize(to: elements[unchecked: index])
        }
        // Release, as in `push`, once for all elements.
        unsafe producer.pointee.index.store(tail + count, ordering: .releasing)
        return count
    }

    /// Removes an element. Consumer only.
    ///
    /// - Returns: The oldest element; `nil` if the ring is empty.
    @inlinable
    public func pop() -> Element? {
        let head = unsafe consumer.pointee.index.load(ordering: .relaxed)
        guard ready(from: head, wanted: 1) > 0 else { return nil }
        let element = unsafe (slots + (head & mask)).move()
        // Release: the slot must be empty before the producer can use it again.
        unsafe consumer.pointee.index.store(head + 1, ordering: .releasing)
        return element
    }

    /// Consumes the elements, oldest first, and frees the slots together. Consumer only.
    ///
    /// - Parameters:
    ///   - limit: Maximum number of elements, so that the producer does not wait long.
    ///   - body: Receives each element; must not use this ring.
    /// - Returns: The number of elements consumed.
    @inlinable
    public func drain(limit: Int = .max, _ body: (consuming Element) -> Void) -> Int {
        let head = unsafe consumer.pointee.index.load(ordering: .relaxed)
        let count = min(limit, ready(from: head, wanted: limit))
        guard count > 0 else { return 0 }
        for index in head..<(head + count) {
            body(unsafe (slots + (index & mask)).move())
        }
        // Release, as in `pop`, once for all elements.
        unsafe consumer.pointee.index.store(head + count, ordering: .releasing)
        return count
    }

    /// Free slots from `tail` on. Reads the other index again only if too few are known.
    @inlinable
    func room(from tail: Int, wanted: Int) -> Int {
        let known = unsafe capacity - (tail - producer.pointee.opposite)
        guard known < wanted else { return known }
        // Acquire: the consumer's move out of a slot must finish before it is written again.
        let head = unsafe consumer.pointee.index.load(ordering: .acquiring)
        assert(tail - head >= 0 && tail - head <= capacity)
        unsafe producer.pointee.opposite = head
        return capacity - (tail - head)
    }

    /// Filled slots from `head` on. Reads the other index again only if too few are known.
    @inlinable
    func ready(from head: Int, wanted: Int) -> Int {
        let known = unsafe consumer.pointee.opposite - head
        guard known < wanted else { return known }
        // Acquire: the producer's write of a slot must be seen before it is read.
        let tail = unsafe producer.pointee.index.load(ordering: .acquiring)
        assert(tail - head >= 0 && tail - head <= capacity)
        unsafe consumer.pointee.opposite = tail
        return tail - head
    }
}
