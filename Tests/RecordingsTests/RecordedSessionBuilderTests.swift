import MutatedBytes
import SensorModel
import Testing

@testable import Recordings

@Suite struct RecordedSessionBuilderTests {
    private static func time(_ seconds: Double) -> Timestamp {
        SampleRun.start.advanced(bySeconds: seconds)
    }

    private static func frame(_ seconds: Double, _ payload: Frame.Payload) -> Frame {
        Frame(sequence: .none, deviceTime: time(seconds), payload: payload)
    }

    private static func fix(_ seconds: Double, latitude: Double) throws -> Frame {
        frame(seconds, .location(try Location(latitude: latitude, longitude: 11)))
    }

    private static func rate(_ seconds: Double, _ rate: Double) throws -> Frame {
        frame(seconds, .heartRate(try HeartRateSample(beatsPerMinute: rate)))
    }

    /// An event of the pipeline at a second: smoothed values, not the measured ones.
    private static func row(
        _ second: Double, cadence: Double? = nil, source: String? = nil
    ) -> StreamEvent {
        var metrics = Metrics()
        metrics.distanceMeters = 3 * second
        metrics.heartRate = HeartRateMetric(
            beatsPerMinute: 99, zone: 1, state: .live, ageSeconds: 0, source: source)
        metrics.position = PositionMetric(
            latitude: 1, longitude: 1, altitudeMeters: nil, horizontalAccuracyMeters: nil,
            courseDegrees: nil, state: .live)
        if let cadence {
            metrics.cadence = CadenceMetric(
                stepsPerMinute: cadence, confidence: 1, uncertainty: nil, state: .live)
        }
        return StreamEvent(deviceTime: time(second), kind: .metrics(metrics))
    }

    private static func session(_ frames: [Frame], _ events: [StreamEvent]) -> RecordedSession {
        var builder = RecordedSessionBuilder(id: SessionID(high: 1, low: 1), device: "wrist")
        for frame in frames { builder.take(frame) }
        for event in events { builder.take(event, arrivalTime: event.deviceTime) }
        return builder.finish()
    }

    @Test func `Points are what was measured, when it was, in order of time`() throws {
        let session = Self.session(
            [
                try Self.fix(2.3, latitude: 12), try Self.fix(1.2, latitude: 11),
                try Self.rate(0.9, 120), try Self.rate(1.9, 121), try Self.rate(5.5, 130),
            ], (1...6).map { Self.row(Double($0)) })
        #expect(session.points.map(\.time) == [0.9, 1.2, 2.3, 5.5].map(Self.time))
        #expect(session.points.map(\.latitude) == [nil, 11, 12, nil])
        #expect(session.points.map(\.heartRate) == [120, 120, 121, 130])
        #expect(session.points.map(\.distanceMeters) == [3, 6, 9, 18])
        #expect(session.start == Self.time(0.9))
    }

    @Test func `A rate that came with a position is that position's alone`() throws {
        let session = Self.session(
            [
                try Self.rate(1, 120), try Self.fix(1, latitude: 11), try Self.fix(2, latitude: 12),
                try Self.rate(3, 122), try Self.fix(3, latitude: 13), try Self.rate(3, 123),
            ], (1...3).map { Self.row(Double($0)) })
        #expect(session.points.map(\.heartRate) == [120, nil, 122, 123])
        #expect(session.points.map(\.latitude) == [11, 12, 13, nil])
    }

    @Test func `Seconds with nothing but steps are points, and rows keep what was measured`() throws
    {
        let session = Self.session(
            [
                try Self.fix(1, latitude: 11), try Self.rate(1, 120),
                Self.frame(3, .marker("hill")),
            ],
            [Self.row(1, cadence: 170), Self.row(2, cadence: 171), Self.row(3)])
        #expect(session.points.map(\.time) == [1, 2].map(Self.time))
        #expect(session.points.map(\.cadence) == [170, 171])
        #expect(session.seconds.map(\.latitude) == [11, 11, 11])
        #expect(session.seconds.map(\.heartRate) == [120, 120, 120])
    }

    @Test func `A second in which a state changed has one row, with what was known last`() throws {
        let session = Self.session(
            try (1...4).map { try Self.fix(Double($0), latitude: 10 + Double($0)) },
            [1, 2.02, 2.55, 2.999, 3, 4.5].map { Self.row($0) })
        #expect(session.seconds.map(\.time) == [1, 2.999, 3, 4.5].map(Self.time))
        #expect(session.seconds.map(\.distanceMeters) == [3, 3 * 2.999, 9, 13.5])
        var export = SessionExport(format: .csv, session: session)
        #expect(export.takeBytes().count { $0 == UInt8(ascii: "\n") } == 1 + 4)
    }

    @Test func `The other sensor's rates are left out`() throws {
        let session = Self.session(
            [
                Self.frame(1, .source("strap")), try Self.rate(1, 140),
                Self.frame(1.5, .source("watch")), try Self.rate(1.5, 90),
                Self.frame(2, .source("strap")), try Self.rate(2, 141),
            ], (1...2).map { Self.row(Double($0), source: "strap") })
        #expect(session.points.map(\.heartRate) == [140, 141])
    }

    @Test func `A pause takes in what lies within it, and not its two ends`() throws {
        let frames = try (1...8).map { try Self.fix(Double($0), latitude: 10 + Double($0)) }
        let session = Self.session(
            frames,
            [
                StreamEvent(
                    deviceTime: Self.time(4),
                    kind: .paused(since: Self.time(3), automatic: true)),
                StreamEvent(
                    deviceTime: Self.time(6),
                    kind: .resumed(since: Self.time(5), automatic: true)),
                StreamEvent(
                    deviceTime: Self.time(7),
                    kind: .paused(since: Self.time(7), automatic: false)),
            ])
        #expect(
            session.points.map(\.paused)
                == [false, false, false, true, false, false, false, false])
        #expect(
            session.pauses == [
                RecordedPause(start: Self.time(3), end: Self.time(5), automatic: true),
                RecordedPause(start: Self.time(7), end: Self.time(8), automatic: false),
            ])
    }

    /// The limit on an export's size is counted in these bytes.
    @Test func `Whatever grows with a session is counted`() throws {
        var watts = MeasuredValues(source: "pod")
        try watts.set(.power, to: 200)
        let beats = try HeartRateSample(
            beatsPerMinute: 100, rrIntervals: Array(repeating: 600, count: 255))
        // A definition of one byte's field, and messages of two bytes.
        let definition: [UInt8] = [0x40, 0, 0, 233, 0, 1, 0, 1, 2]
        let foreign = ForeignMessages(
            format: .fit, bytes: definition + (0..<2000).flatMap { _ in [0, 1] as [UInt8] })
        for (payload, least) in [
            (.measured(watts), 300), (.heartRate(beats), 255 * 2), (.foreign(foreign), 2000 * 100),
        ] as [(Frame.Payload, Int)] {
            var builder = RecordedSessionBuilder(id: SessionID(high: 1, low: 1), device: "watch")
            builder.take(Self.frame(0, payload))
            let before = builder.bytes
            for second in 1...10 { builder.take(Self.frame(Double(second), payload)) }
            #expect(builder.bytes - before >= 10 * least, "\(payload)")
        }
    }

    /// The memory of a decoded list of heart rates is counted before it is allocated.
    @Test(arguments: [true, false])
    func `A file is not begun for whose points there is no room`(isSorted: Bool) throws {
        var builder = RecordedSessionBuilder(id: SessionID(high: 1, low: 1), device: "wrist")
        let count = 20_000
        for index in 0..<count {
            let order = isSorted ? index : count - index
            builder.take(try Self.rate(Double(order) / 1000, 120))
        }
        let before = builder.bytes
        var copy = builder
        var most = 0
        let session = try #require(
            copy.finish(.points) { bytes in
                most = max(most, bytes)
                return true
            })
        #expect(session.points.count == count)
        #expect(most >= before + count * MemoryLayout<SessionPoint>.stride)
        var refused = builder
        #expect(refused.finish(.points) { $0 < most } == nil)
        var rows = builder
        let needed = try #require(rows.finish(.rows) { $0 <= before * 3 })
        #expect(needed.points.isEmpty)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `Each lap has its own points and meters`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var frames: [Frame] = []
        var events: [StreamEvent] = []
        var lapEnds: [Double] = []
        for second in 1...300 {
            if Bool.random(using: &generator) {
                frames.append(try Self.fix(Double(second), latitude: 11))
            }
            events.append(Self.row(Double(second)))
            guard Int.random(in: 0..<9, using: &generator) == 0 else { continue }
            lapEnds.append(Double(second))
            let lap = Lap(
                number: lapEnds.count, seconds: 1, distanceMeters: nil, averageHeartRate: nil)
            events.append(
                StreamEvent(deviceTime: Self.time(Double(second)), kind: .lap(lap)))
        }
        let session = Self.session(frames, events)
        let parts = session.lapParts
        #expect(parts.map(\.lap) == session.lapsToEnd)
        #expect(parts.flatMap { Array($0.range) } == Array(session.points.indices))
        for part in parts {
            let before = session.points[..<part.range.lowerBound].last { $0.distanceMeters != nil }
            let last = session.points[part.range].last { $0.distanceMeters != nil }
            let meters = last.map { ($0.distanceMeters ?? 0) - (before?.distanceMeters ?? 0) }
            #expect(part.summary.distanceMeters == meters)
        }
    }
}
