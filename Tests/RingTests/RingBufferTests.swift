import Ring
import Synchronization
import Testing

@Suite struct RingBufferTests {
    @Test func `Elements come out in the order they went in`() {
        let ring = RingBuffer<Int>(capacity: 4)
        #expect(ring.pop() == nil)
        for element in 1...4 { #expect(ring.push(element)) }
        #expect(!ring.push(5))
        #expect(ring.fillRatio == 1)
        for element in 1...4 { #expect(ring.pop() == element) }
        #expect(ring.pop() == nil)
        #expect(ring.isEmpty)
    }

    @Test func `A batch is stored as far as it fits`() {
        let ring = RingBuffer<Int>(capacity: 4)
        #expect(ring.push(contentsOf: [1, 2, 3].span) == 3)
        #expect(ring.push(contentsOf: [4, 5, 6].span) == 1)
        var drained: [Int] = []
        #expect(ring.drain(limit: 2) { drained.append($0) } == 2)
        #expect(ring.drain { drained.append($0) } == 2)
        #expect(ring.drain { drained.append($0) } == 0)
        #expect(drained == [1, 2, 3, 4])
    }

    @Test(arguments: 1...40)
    func `Any mix of calls agrees with an array`(seed: UInt64) {
        var random = SplitMix(state: seed)
        let capacity = 1 << Int(random.next() % 6)
        let ring = RingBuffer<UInt64>(capacity: capacity)
        var model: [UInt64] = []
        for _ in 0..<2000 {
            switch random.next() % 4 {
            case 0:
                let element = random.next()
                #expect(ring.push(element) == (model.count < capacity))
                if model.count < capacity { model.append(element) }
            case 1:
                let batch = (0..<(random.next() % 20)).map { _ in random.next() }
                let stored = ring.push(contentsOf: batch.span)
                #expect(stored == min(batch.count, capacity - model.count))
                model += batch.prefix(stored)
            case 2:
                let expected = model.isEmpty ? nil : model.removeFirst()
                #expect(ring.pop() == expected)
            default:
                var drained: [UInt64] = []
                let limit = Int(random.next() % 10)
                let count = ring.drain(limit: limit) { drained.append($0) }
                #expect(count == min(limit, model.count))
                #expect(drained == Array(model.prefix(count)))
                model.removeFirst(count)
            }
            #expect(ring.count == model.count)
        }
    }

    @Test func `Objects are released once, those left inside with the ring`() {
        let released = ReleaseCount()
        do {
            let ring = RingBuffer<Token>(capacity: 8)
            for round in 0..<30 {
                #expect(ring.push(Token(released)))
                #expect(ring.push(contentsOf: [Token(released), Token(released)].span) == 2)
                if round % 2 == 0 {
                    #expect(ring.drain { _ in } >= 3)
                } else {
                    #expect(ring.pop() != nil)
                    #expect(ring.pop() != nil)
                }
            }
            #expect(!ring.isEmpty)
            #expect(released.count.load(ordering: .relaxed) < 90)
        }
        #expect(released.count.load(ordering: .relaxed) == 90)
    }

    @Test func `Capacity must be a power of two`() async {
        await #expect(processExitsWith: .failure) { _ = RingBuffer<Int>(capacity: 3) }
        await #expect(processExitsWith: .failure) { _ = RingBuffer<Int>(capacity: 0) }
    }

    @Test(arguments: [1, 2, 64, 4096])
    func `Two threads pass every element once, in order`(capacity: Int) async {
        let ring = RingBuffer<[Int]>(capacity: capacity)
        let elements = 60_000
        async let produced: Void = produce(elements, into: ring)
        var expected = 0
        while expected < elements {
            if expected % 3 == 0, let element = ring.pop() {
                #expect(element == [expected, expected + 1])
                expected += 1
            } else {
                _ = ring.drain(limit: 16) { element in
                    if element != [expected, expected + 1] { Issue.record("wrong element") }
                    expected += 1
                }
            }
            if ring.isEmpty { await Task.yield() }
        }
        await produced
        #expect(ring.isEmpty)
    }

    private func produce(_ elements: Int, into ring: RingBuffer<[Int]>) async {
        var next = 0
        while next < elements {
            if next % 5 == 0 {
                if ring.push([next, next + 1]) { next += 1 } else { await Task.yield() }
            } else {
                let batch = (next..<min(elements, next + 7)).map { [$0, $0 + 1] }
                let stored = ring.push(contentsOf: batch.span)
                if stored == 0 { await Task.yield() }
                next += stored
            }
        }
    }
}

private final class ReleaseCount: Sendable {
    let count = Atomic(0)
}

private final class Token: Sendable {
    let released: ReleaseCount

    init(_ released: ReleaseCount) {
        self.released = released
    }

    deinit { released.count.add(1, ordering: .relaxed) }
}
