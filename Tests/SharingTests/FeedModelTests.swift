import Foundation
import SensorModel
import Testing

@testable import Sharing

/// In every case, a viewer that merges its messages has the state that the share shows.
@Suite struct FeedModelTests {
    struct Viewer {
        var queue: DeliveryState
        var state: [String: String] = [:]
        var cursor: LogCursor?
        var events: [String] = []
        var firstEvent: Int
        var writable = true
        var closed = false

        mutating func read(_ message: EncodedMessage) throws {
            if let cursor { #expect(message.cursor > cursor) }
            cursor = message.cursor
            let object = try Fixture.object(message.json)
            switch object["type"] as? String {
            case "snapshot": state = [:]
            case "event":
                events.append(object["text"] as? String ?? "")
                return
            default: break
            }
            for (key, value) in object where !["type", "cursor", "time", "initial"].contains(key) {
                state[key] = value is NSNull ? nil : "\(value)"
            }
        }
    }

    @Test(arguments: UInt64(1)...25)
    func `Every viewer ends with the snapshot, each event once, rising cursors`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let table = FeedTable()
        let feed = table.open(
            FeedKey(ShareKey(rawValue: 1)), runnerName: "Anna",
            snapshot: .waiting(cursor: Fixture.cursor(0), time: Fixture.start))
        var viewers: [Viewer] = []
        var eventCount = 0
        var now: UInt64 = 0
        for offset in UInt64(1)...400 {
            now += UInt64.random(in: 0...400_000_000, using: &generator)
            if viewers.count < 8, Int.random(in: 0..<5, using: &generator) == 0 {
                viewers.append(try Self.join(feed, at: now, events: eventCount, &generator))
            }
            let update = Self.randomUpdate(offset, events: &eventCount, &generator)
            table.apply(update, to: feed.key)
            for index in viewers.indices where !viewers[index].closed {
                if Int.random(in: 0..<6, using: &generator) == 0 {
                    viewers[index].writable.toggle()
                    if viewers[index].writable {
                        viewers[index].queue.becameWritable()
                    } else {
                        viewers[index].queue.becameUnwritable(at: now)
                    }
                }
                try Self.flush(&viewers[index], feed, at: now)
            }
        }
        var last = Viewer(queue: DeliveryState(rateHz: 1), firstEvent: 0)
        try last.read(feed.snapshotMessage())
        for index in viewers.indices where !viewers[index].closed {
            viewers[index].queue.becameWritable()
            try Self.flush(&viewers[index], feed, at: now + 10_000_000_000)
            #expect(viewers[index].state == last.state)
            #expect(
                viewers[index].events
                    == (viewers[index].firstEvent..<eventCount).map { "event \($0)" })
        }
    }

    private static func join(
        _ feed: ShareFeed, at now: UInt64, events: Int, _ generator: inout SeededGenerator
    ) throws -> Viewer {
        let rate = Double.random(in: 0.1...25, using: &generator)
        var viewer = Viewer(queue: DeliveryState(rateHz: rate), firstEvent: events)
        var messages: [EncodedMessage] = []
        viewer.queue.begin([feed], at: now, into: &messages)
        for message in messages { try viewer.read(message) }
        return viewer
    }

    private static func flush(_ viewer: inout Viewer, _ feed: ShareFeed, at now: UInt64) throws {
        var messages: [EncodedMessage] = []
        let action = viewer.queue.flush([feed], at: now, into: &messages)
        viewer.closed = action == .disconnect(.tooSlow)
        #expect((action == .write) == !messages.isEmpty)
        for message in messages { try viewer.read(message) }
    }

    private static func randomUpdate(
        _ offset: UInt64, events: inout Int, _ generator: inout SeededGenerator
    ) -> FeedUpdate {
        if Int.random(in: 0..<4, using: &generator) == 0 {
            defer { events += 1 }
            return FeedUpdate(
                cursor: Fixture.cursor(offset), time: Fixture.start, changed: [],
                event: Array(#"{"type":"event","text":"event \#(events)"}"#.utf8))
        }
        let begins = Int.random(in: 0..<60, using: &generator) == 0
        let keys = FieldKey.allCases.shuffled(using: &generator).prefix(begins ? 9 : 3)
        let changed = keys.map { key in
            let isNull = !begins && Int.random(in: 0..<5, using: &generator) == 0
            let value = isNull ? "null" : "\(offset)"
            return Fragment(
                key: key, visibility: .everyone, isNull: isNull,
                bytes: Array("\"\(key.name)\":\(value)".utf8))
        }
        return FeedUpdate(
            cursor: Fixture.cursor(offset), time: Fixture.start, changed: changed,
            urgent: Int.random(in: 0..<5, using: &generator) == 0, begins: begins)
    }
}
