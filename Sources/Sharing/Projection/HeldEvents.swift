import SensorModel
import WireFormat

/// Held events, oldest first, encoded as in the log, which needs a quarter of the memory of values.
struct HeldEvents: Sendable {
    struct Entry: Sendable {
        let offset: RecordOffset
        let arrival: Timestamp
        let deviceTime: Timestamp
        /// Position of the runner, degrees.
        let latitude: Double
        let longitude: Double
        /// Device time of that position.
        let placedAt: Timestamp
        /// End of its bytes in the block.
        fileprivate let end: Int
    }

    /// A block of events, allocated and freed together: no large array is doubled or moved.
    private struct Block: Sendable {
        static let countMax = 64

        var entries: [Entry] = []
        var bytes: [UInt8] = []

        init() { entries.reserveCapacity(Self.countMax) }

        /// Bytes of memory, including the arrays' reserve and headers.
        var size: Int {
            MemoryLayout<Block>.stride + entries.capacity * MemoryLayout<Entry>.stride
                + bytes.capacity + 2 * 32
        }

        mutating func append(
            _ recorded: ShownEvent, latitude: Double, longitude: Double, placedAt: Timestamp
        ) {
            StreamEventCodec.encode(recorded.event, to: &bytes)
            entries.append(
                Entry(
                    offset: recorded.offset, arrival: recorded.arrival,
                    deviceTime: recorded.event.deviceTime, latitude: latitude,
                    longitude: longitude, placedAt: placedAt, end: bytes.count))
            guard entries.count == Self.countMax else { return }
            var exact: [UInt8] = []
            exact.reserveCapacity(bytes.count)
            exact.append(contentsOf: bytes)
            bytes = exact
        }

        func event(at index: Int) -> ShownEvent? {
            let entry = entries[index]
            let start = index > 0 ? entries[index - 1].end : 0
            do {
                let event = try StreamEventCodec.decode(bytes.span.extracting(start..<entry.end))
                return ShownEvent(event: event, offset: entry.offset, arrival: entry.arrival)
            } catch {
                assertionFailure("an event that was encoded cannot be decoded: \(error)")
                return nil
            }
        }
    }

    private var blocks: [Block] = []
    /// Number of events removed from the first block.
    private var takenCount = 0
    private(set) var count = 0
    /// Bytes of memory, including reserve.
    private(set) var size = 0

    /// The oldest event.
    var first: Entry? { blocks.first?.entries[takenCount] }

    /// The newest event.
    var last: Entry? { blocks.last?.entries.last }

    mutating func append(
        _ recorded: ShownEvent, latitude: Double, longitude: Double, placedAt: Timestamp
    ) {
        if blocks.last.map({ $0.entries.count == Block.countMax }) ?? true {
            blocks.append(Block())
            size += blocks[blocks.count - 1].size
        }
        let last = blocks.count - 1
        size -= blocks[last].size
        blocks[last].append(
            recorded, latitude: latitude, longitude: longitude, placedAt: placedAt)
        size += blocks[last].size
        count += 1
    }

    /// - Returns: The oldest event; `nil` if there is none.
    mutating func removeFirst() -> ShownEvent? {
        guard count > 0 else { return nil }
        let event = blocks[0].event(at: takenCount)
        takenCount += 1
        count -= 1
        if takenCount == blocks[0].entries.count {
            size -= blocks[0].size
            blocks.removeFirst()
            takenCount = 0
        }
        return event
    }
}
