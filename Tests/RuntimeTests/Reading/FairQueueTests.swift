import Testing

@testable import Runtime

@Suite struct FairQueueTests {
    private typealias Queue = FairQueue<Int, Int, Int>

    @Test func `One party's requests leave room for those of others`() throws {
        var queue = Queue(countMax: 256, perRequesterMax: 8)
        var refused = 0
        for number in 0..<1000 {
            do throws(Queue.Refusal) {
                try queue.append(number, number: UInt64(number), of: 1, from: number)
            } catch {
                #expect(error == .partyFull)
                refused += 1
            }
        }
        #expect(queue.count == 64 && refused == 936)
        try queue.append(0, number: 1000, of: 2, from: 0)
        #expect(queue.next { _ in true }?.party == 1)
        #expect(queue.next { _ in true }?.party == 2)
    }

    @Test func `A place that is left is free again`() throws {
        var queue = Queue(countMax: 32, perRequesterMax: 8)
        for number in 0..<8 { try queue.append(number, number: UInt64(number), of: 1, from: 1) }
        #expect(throws: Queue.Refusal.requesterFull) {
            try queue.append(8, number: 8, of: 1, from: 1)
        }
        #expect(throws: Queue.Refusal.partyFull) { try queue.append(8, number: 8, of: 1, from: 2) }
        #expect(queue.remove(3, of: 1, from: 1) == 3)
        try queue.append(8, number: 8, of: 1, from: 2)
    }
}
