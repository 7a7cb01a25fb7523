import SensorModel
import Testing

@testable import Sharing

@Suite struct DeliveryStateTests {
    static let second: UInt64 = 1_000_000_000

    private static func table() -> (FeedTable, ShareFeed) {
        let table = FeedTable()
        let feed = table.open(
            FeedKey(ShareKey(rawValue: 1)), runnerName: "Anna",
            snapshot: .waiting(cursor: Fixture.cursor(0), time: Fixture.start))
        return (table, feed)
    }

    private static func update(
        _ offset: UInt64, _ key: FieldKey, _ value: Int, urgent: Bool = false,
        begins: Bool = false
    ) -> FeedUpdate {
        FeedUpdate(
            cursor: Fixture.cursor(offset), time: Fixture.time(Double(offset)),
            changed: [
                Fragment(
                    key: key, visibility: .everyone, bytes: Array("\"\(key.name)\":\(value)".utf8))
            ], urgent: urgent, begins: begins)
    }

    private static func marker(_ offset: UInt64, bytes: Int = 0) -> FeedUpdate {
        let padding = String(repeating: "x", count: bytes)
        return FeedUpdate(
            cursor: Fixture.cursor(offset), time: Fixture.start, changed: [],
            event: Array(#"{"type":"event","cursor":"e1-\#(offset)","text":"\#(padding)"}"#.utf8))
    }

    private static let key = FeedKey(ShareKey(rawValue: 1))

    private static func texts(_ messages: [EncodedMessage]) -> [String] {
        messages.map { Fixture.text($0.json) }
    }

    @Test func `Updates within a period are merged, the newest value of each field`() {
        let (table, feed) = Self.table()
        var queue = DeliveryState(rateHz: 1)
        var messages: [EncodedMessage] = []
        queue.begin([feed], at: 0, into: &messages)
        messages = []
        table.apply(Self.update(1, .steps, 1), to: Self.key)
        table.apply(Self.update(2, .steps, 2), to: Self.key)
        table.apply(Self.update(3, .maxHeartRate, 7), to: Self.key)
        #expect(
            queue.flush([feed], at: Self.second / 2, into: &messages)
                == .wait(untilNanoseconds: Self.second))
        #expect(queue.flush([feed], at: Self.second, into: &messages) == .write)
        #expect(
            Self.texts(messages) == [
                #"{"type":"update","cursor":"e1-3","time":1763700003.000,"steps":2,"maxHeartRate":7}"#
            ])
        #expect(queue.flush([feed], at: Self.second * 9, into: &messages) == .idle)
    }

    @Test func `A state and an event do not wait for the rate`() {
        let (table, feed) = Self.table()
        var queue = DeliveryState(rateHz: 0.2)
        var messages: [EncodedMessage] = []
        queue.begin([feed], at: 0, into: &messages)
        messages = []
        table.apply(Self.update(1, .state, 1, urgent: true), to: Self.key)
        #expect(queue.flush([feed], at: 1, into: &messages) == .write)
        table.apply(Self.update(2, .steps, 5), to: Self.key)
        table.apply(Self.marker(3), to: Self.key)
        #expect(queue.flush([feed], at: 2, into: &messages) == .write)
        #expect(messages.map(\.cursor.offset.rawValue) == [1, 2, 3])
    }

    @Test(arguments: [(0.2, 5.0), (1, 1), (20, 0.05), (0.01, 5), (1000, 0.05), (.nan, 1)])
    func `A rate is clamped`(rateHz: Double, periodSeconds: Double) {
        let (table, feed) = Self.table()
        var queue = DeliveryState(rateHz: rateHz)
        var messages: [EncodedMessage] = []
        queue.begin([feed], at: 0, into: &messages)
        table.apply(Self.update(1, .steps, 1), to: Self.key)
        let period = UInt64(periodSeconds * 1e9)
        #expect(
            queue.flush([feed], at: 0, into: &messages) == .wait(untilNanoseconds: period))
    }

    @Test func `Over a minute no more updates go out than the rate allows`() {
        for rateHz in [0.2, 0.5, 1, 3, 20] {
            let (table, feed) = Self.table()
            var queue = DeliveryState(rateHz: rateHz)
            var messages: [EncodedMessage] = []
            queue.begin([feed], at: 0, into: &messages)
            messages = []
            for millisecond in stride(from: UInt64(0), through: 60_000, by: 10) {
                table.apply(Self.update(millisecond, .steps, Int(millisecond)), to: Self.key)
                _ = queue.flush([feed], at: millisecond * 1_000_000, into: &messages)
            }
            #expect(Double(messages.count) <= 60 * rateHz + 1)
            #expect(Double(messages.count) >= 60 * rateHz * 0.8 - 1)
        }
    }

    @Test func `Viewers at the same point share one encoding`() {
        let (table, feed) = Self.table()
        var viewers = (0..<100).map { _ in DeliveryState(rateHz: 1) }
        var snapshots: [EncodedMessage] = []
        for index in viewers.indices { viewers[index].begin([feed], at: 0, into: &snapshots) }
        for round in UInt64(1)...5 {
            table.apply(Self.update(round, .steps, Int(round)), to: Self.key)
            var messages: [EncodedMessage] = []
            for index in viewers.indices {
                #expect(
                    viewers[index].flush([feed], at: round * Self.second, into: &messages)
                        == .write)
            }
            #expect(messages.count == 100)
            #expect(messages.allSatisfy { $0 === messages[0] })
        }
    }

    @Test func `A viewer that takes nothing is owed one value a field, then is closed`() {
        let (table, feed) = Self.table()
        var queue = DeliveryState(rateHz: 20)
        var messages: [EncodedMessage] = []
        queue.begin([feed], at: 0, into: &messages)
        messages = []
        queue.becameUnwritable(at: 0)
        for offset in UInt64(1)...1000 {
            table.apply(Self.update(offset, .steps, Int(offset)), to: Self.key)
            #expect(queue.flush([feed], at: offset * 1_000_000, into: &messages) == .idle)
        }
        queue.becameWritable()
        #expect(queue.flush([feed], at: 2 * Self.second, into: &messages) == .write)
        #expect(messages.count == 1 && Self.texts(messages)[0].contains("\"steps\":1000"))
        queue.becameUnwritable(at: 2 * Self.second)
        table.apply(Self.update(1001, .steps, 1001), to: Self.key)
        #expect(queue.flush([feed], at: 32 * Self.second, into: &messages) == .idle)
        #expect(
            queue.flush([feed], at: 32 * Self.second + 1, into: &messages)
                == .disconnect(.tooSlow))
    }

    @Test(arguments: [true, false])
    func `A viewer whose events no longer fit is closed`(catchingUp: Bool) {
        let (table, feed) = Self.table()
        var queue = DeliveryState(rateHz: 1, catchingUp: catchingUp)
        var quick = DeliveryState(rateHz: 1)
        var messages: [EncodedMessage] = []
        queue.begin([feed], at: 0, into: &messages)
        quick.begin([feed], at: 0, into: &messages)
        if !catchingUp { queue.becameUnwritable(at: 0) }
        var action = DeliveryState.Action.idle
        var offset: UInt64 = 0
        while action == .idle, offset < 1000 {
            offset += 1
            table.apply(Self.marker(offset, bytes: 1000), to: Self.key)
            action = queue.flush([feed], at: 0, into: &messages)
            #expect(quick.flush([feed], at: 0, into: &messages) == .write)
        }
        #expect(action == .disconnect(.tooSlow))
        #expect((200...270).contains(offset))
        #expect(feed.events.entries.reduce(0) { $0 + $1.alone.json.count } <= 256 * 1024)
    }

    @Test func `While history is fetched live events wait, then follow`() {
        let (table, feed) = Self.table()
        var queue = DeliveryState(rateHz: 1, catchingUp: true)
        var messages: [EncodedMessage] = []
        queue.begin([feed], at: 0, resumedAt: Fixture.cursor(0), into: &messages)
        #expect(Self.texts(messages)[0].hasPrefix(#"{"type":"snapshot","cursor":"e1-0""#))
        messages = []
        table.apply(Self.marker(5), to: Self.key)
        #expect(queue.flush([feed], at: 0, into: &messages) == .idle)
        queue.caughtUp()
        #expect(queue.flush([feed], at: 0, into: &messages) == .write)
        #expect(messages.map(\.cursor) == [Fixture.cursor(5)])
    }

    /// The owner starts to trim the finish: the feed holds back events that the viewer has.
    @Test(arguments: [(7, [8]), (nil, [5, 8])])
    func `Who comes back is sent no event again that it had`(cursor: Int?, sent: [UInt64]) {
        let (table, feed) = Self.table()
        var queue = DeliveryState(rateHz: 1)
        var messages: [EncodedMessage] = []
        queue.begin(
            [feed], at: 0, resumedAt: cursor.map { Fixture.cursor(UInt64($0)) }, into: &messages)
        messages = []
        table.apply(Self.marker(5), to: Self.key)
        table.apply(Self.marker(8), to: Self.key)
        #expect(queue.flush([feed], at: 0, into: &messages) == .write)
        #expect(messages.map(\.cursor.offset.rawValue) == sent)
    }

    @Test func `Another session begins with a snapshot`() {
        let (table, feed) = Self.table()
        var queue = DeliveryState(rateHz: 1)
        var messages: [EncodedMessage] = []
        table.apply(Self.update(1, .steps, 9), to: Self.key)
        queue.begin([feed], at: 0, into: &messages)
        messages = []
        table.apply(Self.marker(2), to: Self.key)
        table.apply(Self.update(3, .maxHeartRate, 1, begins: true), to: Self.key)
        table.apply(Self.marker(4), to: Self.key)
        #expect(queue.flush([feed], at: 0, into: &messages) == .write)
        #expect(messages.map(\.cursor.offset.rawValue) == [2, 3, 4])
        #expect(Self.texts(messages)[1].contains("snapshot"))
        #expect(!Self.texts(messages)[1].contains("steps"))
    }

    @Test func `A group is one number, its messages named and in the order of the log`() {
        let table = FeedTable()
        let feeds = (1...3).map { number in
            table.open(
                FeedKey(ShareKey(rawValue: UInt32(number))), runnerName: "R\(number)",
                snapshot: .waiting(cursor: Fixture.cursor(UInt64(number)), time: Fixture.start))
        }
        var queue = DeliveryState(rateHz: 1, place: .inGroup)
        var messages: [EncodedMessage] = []
        queue.begin(feeds, at: 0, into: &messages)
        #expect(messages.map(\.cursor.offset.rawValue) == [1, 2, 3])
        messages = []
        for offset in UInt64(10)...20 {
            let key = FeedKey(ShareKey(rawValue: UInt32(offset % 3) + 1))
            table.apply(
                offset == 14 ? Self.marker(offset) : Self.update(offset, .steps, Int(offset)),
                to: key)
        }
        #expect(queue.flush(feeds, at: Self.second, into: &messages) == .write)
        #expect(messages.map(\.cursor.offset.rawValue) == [14, 18, 19, 20])
        #expect(Self.texts(messages).allSatisfy { $0.contains("\"runner\":\"R") })
        #expect(queue.flush(feeds, at: 9 * Self.second, into: &messages) == .idle)
    }

    @Test func `A closed feed takes no updates`() {
        let (table, _) = Self.table()
        table.close(Self.key)
        #expect(table.apply(Self.marker(1), to: Self.key) == nil)
        #expect(table[Self.key] == nil)
    }
}
