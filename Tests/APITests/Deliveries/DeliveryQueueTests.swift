import Registry
import SensorModel
import Testing

@testable import API

@Suite struct DeliveryQueueTests {
    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)

    private static func delivery(
        _ id: Int64, of device: UInt32 = 1, dueAt seconds: Double = 0
    ) -> Delivery {
        Delivery(
            id: id, target: 1, session: SessionID(high: UInt64(id), low: 1),
            device: DeviceID(rawValue: device), changedAt: start,
            dueAt: start.advanced(bySeconds: seconds))
    }

    @Test func `One delivery of a device is under way at a time, and few of all`() {
        var queue = DeliveryQueue()
        for device in 1...4 {
            for number in 0..<3 {
                queue.insert(Self.delivery(Int64(10 * device + number), of: UInt32(device)))
            }
        }
        var begun: [Delivery] = []
        while let next = queue.next(at: Self.start) { begun.append(next) }
        #expect(begun.map(\.id) == [10, 20])
        queue.insert(begun[0])
        queue.ended(begun[0], next: nil)
        let next = queue.next(at: Self.start)
        #expect(next?.id == 30, "a device that had its turn waits for the others")
    }

    @Test func `A device with many deliveries holds up another for one try`() {
        var queue = DeliveryQueue()
        for number in 1...100 { queue.insert(Self.delivery(Int64(number), of: 1)) }
        let first = queue.next(at: Self.start)
        queue.insert(Self.delivery(1000, of: 2, dueAt: 60))
        let later = Self.start.advanced(bySeconds: 120)
        if let first { queue.ended(first, next: nil) }
        let second = queue.next(at: later)
        #expect(first?.id == 1 && second?.id == 1000)
    }

    @Test func `A delivery comes back when it is due, and not before`() {
        var queue = DeliveryQueue()
        queue.insert(Self.delivery(1))
        guard let first = queue.next(at: Self.start) else {
            Issue.record("none was due")
            return
        }
        var again = first
        again.dueAt = Self.start.advanced(bySeconds: 60)
        queue.ended(first, next: again)
        let early = queue.next(at: Self.start.advanced(bySeconds: 59))
        let due = queue.next(at: Self.start.advanced(bySeconds: 60))
        #expect(early == nil && due?.id == 1)
    }

    @Test func `What is dropped waits no more, stops when under way, and does not come back`() {
        var queue = DeliveryQueue()
        for number in 1...3 { queue.insert(Self.delivery(Int64(number))) }
        guard let first = queue.next(at: Self.start) else {
            Issue.record("none was due")
            return
        }
        #expect(queue.isWanted(first))
        queue.drop { $0.id <= 2 }
        #expect(!queue.isWanted(first))
        queue.ended(first, next: first)
        let left = [queue.next(at: Self.start), queue.next(at: Self.start)]
        #expect(left.map { $0?.id } == [3, nil])
        #expect(queue.isWanted(first), "nothing is noted of a delivery that is over")
    }

    @Test func `A device with a slow target comes after others`() {
        var queue = DeliveryQueue()
        for number in 1...3 { queue.insert(Self.delivery(Int64(number), of: 1)) }
        for number in 4...6 { queue.insert(Self.delivery(Int64(number), of: UInt32(number))) }
        guard let first = queue.next(at: Self.start) else {
            Issue.record("none was due")
            return
        }
        queue.ended(first, next: nil, isSlow: true)
        var begun: [Int64] = []
        while let next = queue.next(at: Self.start) {
            begun.append(next.id)
            queue.ended(next, next: nil)
        }
        #expect(first.id == 1 && begun == [4, 5, 6, 2, 3])
    }

    @Test func `When it is full, devices with many make room for one with few`() {
        var queue = DeliveryQueue()
        queue.load([])
        #expect(!queue.isShort)
        for number in 0..<DeliveryQueue.countMax {
            queue.insert(Self.delivery(Int64(number), of: UInt32(number % 10 + 1)))
        }
        #expect(!queue.isShort)
        queue.insert(Self.delivery(5000, of: 77, dueAt: 60))
        #expect(queue.isShort)
        var begun: [Delivery] = []
        while let next = queue.next(at: Self.start.advanced(bySeconds: 60)) {
            queue.ended(next, next: nil)
            begun.append(next)
        }
        #expect(begun.count == DeliveryQueue.countMax)
        #expect(begun.prefix(11).contains { $0.id == 5000 })
    }
}
