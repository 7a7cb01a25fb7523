import Ring
import Testing

@Suite struct ByteRingTests {
    @Test func `Nothing is seen before it is published`() {
        let ring = ByteRing(capacity: 256)
        #expect(ring.push(header: [1, 2].span, payload: [3, 4, 5].span) == true)
        #expect(ring.push(bytes: 1) { $0[0] = 9 })
        #expect(ring.isEmpty)
        #expect(contents(of: ring) == [])
        ring.publish()
        #expect(!ring.isEmpty)
        #expect(contents(of: ring) == [[1, 2, 3, 4, 5], [9]])
        #expect(ring.isEmpty)
    }

    @Test func `A full ring refuses and stays whole`() {
        let ring = ByteRing(capacity: 128)
        var stored = 0
        while ring.push(header: [UInt8(stored)].span, payload: [7, 7].span) { stored += 1 }
        ring.publish()
        #expect(stored == 8)
        #expect(ring.fillRatio == 1)
        #expect(contents(of: ring) == (0..<8).map { [UInt8($0), 7, 7] })
        #expect(ring.push(bytes: ring.recordBytesMax) { _ in })
    }

    @Test(arguments: 1...40)
    func `Records of any length agree with an array`(seed: UInt64) {
        var random = SplitMix(state: seed)
        let ring = ByteRing(capacity: 64 << Int(random.next() % 6))
        var pushed: [[UInt8]] = []
        var published: [[UInt8]] = []
        for _ in 0..<2000 {
            switch random.next() % 4 {
            case 0, 1:
                let length = Int(random.next() % UInt64(ring.recordBytesMax + 1))
                let record = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                let split = length / 3
                let fits = ring.push(
                    header: record.span.extracting(first: split),
                    payload: record.span.extracting(droppingFirst: split))
                if fits { pushed.append(record) }
                #expect(fits || !pushed.isEmpty || !published.isEmpty)
            case 2:
                ring.publish()
                published += pushed
                pushed = []
            default:
                let oldest = ring.peek { record in record.indices.map { record[$0] } }
                #expect(oldest == published.first)
                let limit = Int(random.next() % 5)
                let drained = contents(of: ring, limit: limit)
                #expect(drained == Array(published.prefix(limit)))
                published.removeFirst(drained.count)
            }
        }
    }

    @Test func `A record longer than half the ring is a mistake`() async {
        await #expect(processExitsWith: .failure) {
            let ring = ByteRing(capacity: 128)
            _ = ring.push(bytes: 57) { _ in }
        }
        await #expect(processExitsWith: .failure) { _ = ByteRing(capacity: 96) }
    }

    @Test(arguments: [64, 1024, 65536])
    func `Two threads pass every record once, in order`(capacity: Int) async {
        let ring = ByteRing(capacity: capacity)
        let bell = EventCount()
        let records = 40_000
        async let produced: Void = produce(records, into: ring, waking: bell)
        var expected = 0
        while expected < records {
            let drained = ring.drain(limit: 64) { record in
                if !Self.isRecord(expected, record) { Issue.record("wrong record") }
                expected += 1
            }
            // A task must not block a thread of the pool, so it only checks whether it could sleep.
            if drained == 0 { await Task.yield() }
        }
        await produced
        #expect(ring.isEmpty)
    }

    private func produce(_ records: Int, into ring: ByteRing, waking bell: EventCount) async {
        var next = 0
        while next < records {
            let stored = ring.push(bytes: 1 + next % 24) { record in
                for index in record.indices { record[index] = UInt8(truncatingIfNeeded: next) }
            }
            if stored { next += 1 }
            if !stored || next % 5 == 0 || next == records {
                ring.publish()
                bell.ring()
            }
            if !stored { await Task.yield() }
        }
    }

    private static func isRecord(_ number: Int, _ record: Span<UInt8>) -> Bool {
        guard record.count == 1 + number % 24 else { return false }
        for index in record.indices where record[index] != UInt8(truncatingIfNeeded: number) {
            return false
        }
        return true
    }

    private func contents(of ring: ByteRing, limit: Int = .max) -> [[UInt8]] {
        var records: [[UInt8]] = []
        _ = ring.drain(limit: limit) { record in
            records.append(record.indices.map { record[$0] })
        }
        return records
    }
}
