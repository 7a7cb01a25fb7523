import SensorModel
import Testing

@testable import Sharing

@Suite struct ShareViewTests {
    private static func update(_ second: Double, steps: Int, begins: Bool = false) -> SessionUpdate
    {
        let fragment = Fragment(
            key: .steps, visibility: .holding(.metrics), bytes: Array("\"steps\":\(steps)".utf8))
        return SessionUpdate(
            session: Fixture.session, cursor: Fixture.cursor(UInt64(second)),
            time: Fixture.time(second), changed: [fragment], event: [], urgent: false,
            begins: begins)
    }

    private static func marker(_ second: Double) -> SessionUpdate {
        let event = StreamEvent(deviceTime: Fixture.time(second), kind: .marker("m"))
        let cursor = Fixture.cursor(UInt64(second))
        return SessionUpdate(
            session: Fixture.session, cursor: cursor, time: event.deviceTime, changed: [],
            event: EventEncoder.forms(of: event, cursor: cursor), urgent: false, begins: false)
    }

    @Test func `Without a delay what is in scope is shown at once`() {
        var view = ShareView(Fixture.share(), cursor: Fixture.cursor(0), at: Fixture.start)
        #expect(view.snapshot.session == nil)
        #expect(Fixture.text(view.snapshot.fields[0].bytes) == "\"state\":\"waiting\"")
        #expect(
            view.take(Self.update(1, steps: 5, begins: true), at: Fixture.time(1))?.begins == true)
        #expect(view.snapshot.cursor == Fixture.cursor(1))
        #expect(view.nextDeadline == nil)
    }

    @Test func `What is out of scope changes nothing`() {
        var view = ShareView(
            Fixture.share(scope: .heartRate), cursor: Fixture.cursor(0), at: Fixture.start)
        _ = view.take(Self.update(1, steps: 5, begins: true), at: Fixture.time(1))
        #expect(view.take(Self.update(2, steps: 6), at: Fixture.time(2)) == nil)
        #expect(view.snapshot.fields.isEmpty)
    }

    @Test func `A delayed share shows nothing early, and everything in its time`() {
        var view = ShareView(
            Fixture.share(delaySeconds: 300), cursor: Fixture.cursor(0), at: Fixture.start)
        for second in 1...10 {
            let update = Self.update(Double(second), steps: second, begins: second == 1)
            #expect(view.take(update, at: Fixture.time(Double(second))) == nil)
        }
        #expect(view.snapshot.session == nil)
        #expect(view.nextDeadline == Fixture.time(301))
        #expect(view.releaseAll(at: Fixture.time(300.999)).isEmpty)
        #expect(view.releaseAll(at: Fixture.time(303)).map(\.cursor.offset.rawValue) == [1, 2, 3])
        #expect(view.snapshot.cursor == Fixture.cursor(3))
        #expect(view.nextDeadline == Fixture.time(304))
        #expect(view.releaseAll(at: Fixture.time(9999)).count == 7)
        #expect(view.nextDeadline == nil)
    }

    @Test func `A day's delay is held in bounded memory, never early, and ends right`() {
        var held = HeldUpdates()
        let seconds = 90_000
        var shown: [(cursor: UInt64, at: Int)] = []
        for second in 0..<seconds {
            let steps = Fragment(
                key: second.isMultiple(of: 2) ? .steps : .distanceMeters, visibility: .everyone,
                bytes: Array("\(second)".utf8))
            held.append(
                FeedUpdate(
                    cursor: Fixture.cursor(UInt64(second)), time: Fixture.start,
                    changed: [steps]),
                of: Fixture.session, due: Fixture.time(Double(second + 86_400)))
            while let (update, _, _) = held.removeFirst(dueBy: Fixture.time(Double(second))) {
                shown.append((update.cursor.offset.rawValue, second))
            }
            #expect(held.count <= HeldUpdates.countMax)
        }
        var last: [FieldKey: String] = [:]
        while let (update, _, _) = held.removeFirst(dueBy: Fixture.time(1e6)) {
            for fragment in update.changed { last[fragment.key] = Fixture.text(fragment.bytes) }
        }
        #expect(shown.allSatisfy { Int($0.cursor) + 86_400 <= $0.at })
        #expect(last == [.steps: "\(seconds - 2)", .distanceMeters: "\(seconds - 1)"])
    }

    @Test func `A flood of events on a delayed share is bounded`() {
        var view = ShareView(
            Fixture.share(delaySeconds: 86_400), cursor: Fixture.cursor(0), at: Fixture.start)
        _ = view.take(Self.update(0, steps: 1, begins: true), at: Fixture.start)
        for second in 1...20_000 { _ = view.take(Self.marker(Double(second)), at: Fixture.start) }
        let updates = view.releaseAll(at: Fixture.time(1e6))
        #expect(updates.count <= HeldUpdates.countMax + 1)
        #expect(updates.first?.begins == true)
        #expect(updates.last?.cursor == Fixture.cursor(20_000))
    }
}
