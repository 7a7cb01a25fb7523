import SensorModel
import Testing

@testable import Runtime

struct ViewingQueueTests {
    private static let viewers = (0..<4).map { SubscriberID(rawValue: $0) }

    /// - Returns: The number of pieces.
    private static func take(_ queue: inout ViewingQueue) -> Int? { queue.takeFirst()?.count }

    private static func add(_ queue: inout ViewingQueue, after viewer: Int) -> Bool {
        queue.add({ _ in }, after: viewers[viewer])
    }

    @Test func `Work is taken in the order in which it came, with what follows an opening`() {
        var queue = ViewingQueue()
        #expect(queue.isEmpty && Self.take(&queue) == nil)
        _ = queue.add({ _ in })
        _ = queue.add({ _ in }, of: Self.viewers[0])
        _ = queue.add({ _ in }, of: Self.viewers[1])
        #expect(Self.add(&queue, after: 0))
        #expect(!Self.add(&queue, after: 2))
        #expect(Self.take(&queue) == 1)
        #expect(Self.take(&queue) == 2)
        #expect(!Self.add(&queue, after: 0))
        #expect(!queue.isEmpty)
        #expect(Self.take(&queue) == 1)
        #expect(queue.isEmpty && Self.take(&queue) == nil)
    }

    @Test func `What is removed is passed over, once`() {
        var queue = ViewingQueue()
        let first = queue.add({ _ in })
        _ = queue.add({ _ in }, of: Self.viewers[0])
        let last = queue.add({ _ in })
        let again = (0..<2).map { _ in queue.remove(first) }
        #expect(again == [true, false])
        let removed = (0..<2).map { _ in queue.remove(of: Self.viewers[0]) }
        #expect(removed == [true, false])
        #expect(Self.take(&queue) == 1)
        let isThere = queue.remove(last)
        #expect(!isThere && queue.isEmpty)
    }

    /// Viewers may join and leave during a long turn.
    @Test func `Those who come and go leave nothing behind`() {
        var queue = ViewingQueue()
        for round in 0..<100_000 {
            _ = queue.add({ _ in }, of: Self.viewers[round % 4])
            let isRemoved = queue.remove(of: Self.viewers[round % 4])
            #expect(isRemoved)
        }
        #expect(queue.isEmpty && Self.take(&queue) == nil)
        #expect(queue.order.count < 256)
        for _ in 0..<3 {
            for _ in 0..<1000 { _ = queue.add({ _ in }) }
            for _ in 0..<1000 { #expect(Self.take(&queue) != nil) }
        }
        #expect(queue.order.count < 1000)
    }
}
