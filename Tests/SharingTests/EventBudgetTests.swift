import SensorModel
import Testing

@testable import Sharing

@Suite struct EventBudgetTests {
    private static func key(_ number: Int) -> FeedKey {
        FeedKey(ShareKey(rawValue: UInt32(number)))
    }

    private static func table(feeds: Int, bytesMax: Int) -> FeedTable {
        let table = FeedTable(eventBytesMax: bytesMax)
        for number in 0..<feeds { open(number, in: table) }
        return table
    }

    private static func open(_ number: Int, in table: FeedTable) {
        table.open(
            key(number), runnerName: "",
            snapshot: .waiting(cursor: Fixture.cursor(0), time: Fixture.start))
    }

    private static func event(_ offset: Int, bytes: Int) -> FeedUpdate {
        FeedUpdate(
            cursor: Fixture.cursor(UInt64(offset)), time: Fixture.start, changed: [],
            event: Array(repeating: 0x20, count: bytes))
    }

    private static func kept(_ table: FeedTable, _ number: Int) -> [Int] {
        table[key(number)]?.events.entries.map { Int($0.alone.cursor.offset.rawValue) } ?? []
    }

    @Test(arguments: [10, 1000, 20_000])
    func `Events of all feeds together keep within their bytes, however many feeds`(feeds: Int) {
        let table = Self.table(feeds: feeds, bytesMax: 1 << 20)
        var generator = SeededGenerator(seed: 3)
        for offset in 1...60_000 {
            let number = Int.random(in: 0..<feeds, using: &generator)
            switch Int.random(in: 0..<100, using: &generator) {
            case 0: table.close(Self.key(number))
            case 1: Self.open(number, in: table)
            default:
                let bytes = Int.random(in: 50...900, using: &generator)
                table.apply(Self.event(offset, bytes: bytes), to: Self.key(number))
            }
            if !(0...1 << 20 ~= table.eventBytes) { Issue.record("\(table.eventBytes) bytes") }
        }
        let counted = (0..<feeds).reduce(0) { $0 + (table[Self.key($1)]?.events.bytes ?? 0) }
        #expect(counted == table.eventBytes)
        for number in 0..<feeds { table.close(Self.key(number)) }
        #expect(table.eventBytes == 0)
    }

    @Test(arguments: [16 << 10, 256 << 10])
    func `A viewer may owe as much of a feed as the configuration says`(bytesMax: Int) {
        let table = FeedTable(subscriberBytesMax: bytesMax)
        Self.open(0, in: table)
        for offset in 1...2000 { table.apply(Self.event(offset, bytes: 500), to: Self.key(0)) }
        #expect((bytesMax - 1000...bytesMax).contains(table.eventBytes))
    }

    @Test func `Who makes many events takes none from a feed with few`() {
        let table = Self.table(feeds: 200, bytesMax: 1 << 20)
        for offset in 1...3 { table.apply(Self.event(offset, bytes: 500), to: Self.key(0)) }
        for offset in 4...50_000 {
            table.apply(Self.event(offset, bytes: 500), to: Self.key(1 + offset % 199))
        }
        #expect(Self.kept(table, 0) == [1, 2, 3])
        #expect((1..<200).allSatisfy { Self.kept(table, $0).count >= 1 })
        #expect(table.eventBytes > 1 << 19)
    }

    @Test func `A viewer that waited for an event that is given up counts as too slow`() throws {
        let table = Self.table(feeds: 1, bytesMax: 2000)
        let feed = try #require(table[Self.key(0)])
        var queue = DeliveryState(rateHz: 1, place: .alone)
        var messages: [EncodedMessage] = []
        queue.begin([feed], at: 0, into: &messages)
        for offset in 1...20 { table.apply(Self.event(offset, bytes: 300), to: Self.key(0)) }
        #expect(Self.kept(table, 0).last == 20)
        #expect(queue.flush([feed], at: 0, into: &messages) == .disconnect(.tooSlow))
    }
}
