import SensorModel
import Testing

@testable import Sharing

@Suite struct HeldEventsTests {
    private static func shown(_ number: Int) -> ShownEvent {
        let event =
            number.isMultiple(of: 7)
            ? StreamEvent(
                deviceTime: Fixture.time(Double(number)),
                kind: .marker(String(repeating: "m", count: number % 100)))
            : SessionProjectionTests.metrics(
                number, at: SessionProjectionTests.home.moved(east: Double(number), north: 1))
        return ShownEvent(
            event: event, offset: RecordOffset(rawValue: UInt64(number)),
            arrival: Fixture.time(Double(number) + 0.5))
    }

    @Test func `What is held comes back as it was, oldest first`() {
        var generator = SeededGenerator(seed: 11)
        var held = HeldEvents()
        var model: [ShownEvent] = []
        for number in 0..<4000 {
            let event = Self.shown(number)
            held.append(event, latitude: Double(number), longitude: 1, placedAt: Fixture.start)
            model.append(event)
            // At first more events come than go, then the reverse.
            let taken = Int.random(in: 0...(number < 2000 ? 1 : 3), using: &generator)
            for _ in 0..<taken {
                #expect(held.removeFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(held.count == model.count)
            #expect(held.first?.offset == model.first?.offset)
            #expect(held.first?.deviceTime == model.first?.event.deviceTime)
        }
        while let event = held.removeFirst() { #expect(event == model.removeFirst()) }
        #expect(model.isEmpty)
        #expect(held.size == 0 && held.first == nil)
    }

    @Test func `A second that waits takes a quarter of a kilobyte, with every field known`() {
        var held = HeldEvents()
        for number in 0..<1600 where !number.isMultiple(of: 7) {
            held.append(Self.shown(number), latitude: 48, longitude: 11, placedAt: Fixture.start)
        }
        #expect((100...336).contains(held.size / held.count))
        let full = held.size
        for _ in 0..<800 { _ = held.removeFirst() }
        #expect(held.size < full / 2)
    }

    /// Shown events of a run straight away from home, all arriving at once.
    private static func backlog(_ count: Int) -> [ShownEvent] {
        var settings = PrivacySettings.none
        settings.trimFinishMeters = 50
        var projection = SessionProjection(.hiding(settings))
        projection.note(.beginning)
        var shown: [ShownEvent] = []
        for second in 0..<count {
            projection.take(
                SessionProjectionTests.metrics(
                    second,
                    at: SessionProjectionTests.home.moved(east: 5 * Double(second), north: 0)),
                at: RecordOffset(rawValue: UInt64(second + 1)), arrival: Fixture.start,
                into: &shown)
        }
        return shown
    }

    @Test func `Of a backlog that is too long the older half is shown at once, and no more`() {
        let max = FinishTrim.countMax
        #expect(Self.backlog(max).isEmpty)
        let shown = Self.backlog(max + 1)
        #expect(shown.count == max / 2)
        #expect(shown.last?.offset == RecordOffset(rawValue: UInt64(max / 2)))
        #expect(Self.backlog(max + max / 2).count == max / 2)
        #expect(Self.backlog(max + max / 2 + 1).count == max)
    }

    @Test func `The longest wait holds two seconds' worth of metrics a second`() {
        let wait = FinishTrim.secondsLate(behind: PrivacySettings.trimMetersMax)
        #expect(2 * wait < 0.8 * Double(FinishTrim.countMax))
    }
}
