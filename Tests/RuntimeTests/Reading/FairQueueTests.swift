import Testing

@testable import Runtime

@Suite struct FairQueueTests {
    private typealias Queue = FairQueue<Int, Int, Int>

    @Test func `One party's requests leave room for those of others`() throws {
        var queue = Queue(countMax: 256, perRequesterMax: 8)
        var refused = 0
        for number in 0..<1000 {
            do throws(Queue.Refusal) {
                _ = try queue.append(number, number: UInt64(number), of: 1, from: number)
            } catch {
                #expect(error == .partyFull)
                refused += 1
            }
        }
        #expect(queue.count == 64 && refused == 936)
        _ = try queue.append(0, number: 1000, of: 2, from: 0)
        #expect(queue.next { _ in true }?.party == 1)
        #expect(queue.next { _ in true }?.party == 2)
    }

    @Test func `Parties that filled the queue make room for the next, down to equal parts`() throws
    {
        var queue = Queue(countMax: 256, perRequesterMax: 8)
        var waiting: [Int: Int] = [:]
        for party in 0..<20 {
            for requester in 0..<100 {
                do {
                    let displaced = try queue.append(
                        party, number: UInt64(1000 * party + requester), of: party, from: requester)
                    if let displaced { waiting[displaced, default: 0] -= 1 }
                } catch { break }
                waiting[party, default: 0] += 1
            }
        }
        #expect(queue.count == 256 && waiting.values.reduce(0, +) == 256)
        #expect(waiting.count == 20 && waiting.values.allSatisfy { (11...14).contains($0) })
        var taken = 0
        while queue.next({ _ in true }) != nil { taken += 1 }
        #expect(taken == 256 && queue.count == 0)
    }

    @Test func `A place that is left is free again`() throws {
        var queue = Queue(countMax: 32, perRequesterMax: 8)
        for number in 0..<8 { _ = try queue.append(number, number: UInt64(number), of: 1, from: 1) }
        #expect(throws: Queue.Refusal.requesterFull) {
            try queue.append(8, number: 8, of: 1, from: 1)
        }
        #expect(throws: Queue.Refusal.partyFull) { try queue.append(8, number: 8, of: 1, from: 2) }
        #expect(queue.remove(3, of: 1, from: 1) == 3)
        _ = try queue.append(8, number: 8, of: 1, from: 2)
    }
}
