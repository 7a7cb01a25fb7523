import Registry
import SensorModel
import Testing

@testable import Runtime

@Suite struct RecentResultsTests {
    private static let generation = 100

    private static func result(_ number: Int, end: UInt64 = 1) -> SessionResult {
        SessionResult(
            session: SessionID(high: UInt64(number), low: 1), device: DeviceID(rawValue: 1),
            epoch: 1, lastOffset: RecordOffset(rawValue: end), metrics: nil)
    }

    private static func numbers(_ range: Range<Int>, in recent: inout RecentResults) -> [Int] {
        let found = recent.results(of: range.map { result($0).session })
        return range.filter { found[result($0).session] == result($0) }
    }

    @Test func `A list longer than a generation is there when it is asked for again`() {
        var recent = RecentResults(generationMax: Self.generation)
        let list = 0..<(Self.generation + Self.generation / 2)
        for number in list { recent.insert(Self.result(number)) }
        for _ in 0..<3 {
            let found = Self.numbers(list, in: &recent)
            #expect(found == Array(list))
        }
    }

    @Test func `What is in use stays beside long lists, and the count is bounded`() {
        var recent = RecentResults(generationMax: Self.generation)
        let own = 0..<10
        for number in own { recent.insert(Self.result(number)) }
        for list in 1...50 {
            for number in 0..<(Self.generation - 10) {
                recent.insert(Self.result(list * 1000 + number))
            }
            let found = Self.numbers(own, in: &recent)
            #expect(found == Array(own))
            #expect(recent.count <= 2 * Self.generation)
        }
        let unused = Self.numbers(1000..<1001, in: &recent)
        #expect(unused.isEmpty)
    }

    @Test func `A newer result replaces the older, and a removed one is gone`() {
        var recent = RecentResults(generationMax: Self.generation)
        recent.insert(Self.result(7))
        for number in 1000..<(1000 + Self.generation) { recent.insert(Self.result(number)) }
        // It is of the older generation by now.
        recent.insert(Self.result(7, end: 2))
        let session = Self.result(7).session
        let newer = recent.results(of: [session])
        #expect(newer == [session: Self.result(7, end: 2)])
        recent.remove(session)
        let removed = recent.results(of: [session])
        #expect(removed.isEmpty)
        #expect(recent.count == Self.generation)
    }
}
