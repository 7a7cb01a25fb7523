import SensorModel
import Sessions
import Testing

@Suite struct SummaryEventsTests {
    private static func lap(_ number: Int) -> StreamEvent {
        StreamEvent(
            deviceTime: Timestamp(microseconds: Int64(number)),
            kind: .lap(
                Lap(number: number, seconds: 1, distanceMeters: nil, averageHeartRate: nil)))
    }

    private static func split(_ number: Int) -> StreamEvent {
        StreamEvent(
            deviceTime: Timestamp(microseconds: Int64(number)),
            kind: .split(
                Split(
                    unit: .kilometer, number: number, seconds: 300, averageHeartRate: nil,
                    elevationMeters: nil)))
    }

    /// The events that a snapshot of the summary restores.
    private static func events(_ summary: SummaryEvents) throws -> [StreamEvent] {
        var bytes: [UInt8] = []
        SnapshotCodec.encode(summary, newest: split(0), to: &bytes)
        return try SnapshotCodec.decode(bytes.span).dropLast()
    }

    @Test func `A button pressed a hundred thousand times leaves the newest laps`() throws {
        var summary = SummaryEvents()
        summary.take(Self.split(1))
        for number in 1...100_000 { summary.take(Self.lap(number)) }
        summary.take(Self.split(2))
        let laps = (100_001 - SummaryEvents.lapsMax...100_000).map(Self.lap)
        #expect(try Self.events(summary) == [Self.split(1)] + laps + [Self.split(2)])
    }

    @Test func `Splits are bounded, too, and laps are none of them`() throws {
        var summary = SummaryEvents()
        for number in 1...5000 {
            summary.take(Self.split(number))
            if number % 100 == 0 { summary.take(Self.lap(number / 100)) }
        }
        #expect(try Self.events(summary).count == SummaryEvents.splitsMax + 50)
        #expect(try Self.events(summary).last == Self.lap(50))
        summary.take(StreamEvent(deviceTime: Timestamp(microseconds: 0), kind: .marker("no")))
        #expect(try Self.events(summary).count == SummaryEvents.splitsMax + 50)
    }
}
