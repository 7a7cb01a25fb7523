import SegmentLog
import SensorModel
import Sessions
import Sharing
import Testing

@testable import Runtime

/// The cache of overviews, and what it may cost.
@Suite struct OverviewsTests {
    private static func share(_ device: UInt32, delaySeconds: Int = 0) -> Share {
        Share(
            key: ShareKey(rawValue: device), name: "s\(device)", idHash: .zero,
            target: .device(DeviceID(rawValue: device)), delaySeconds: delaySeconds,
            createdAt: OverviewLog.start)
    }

    private static func run(
        _ seconds: Range<Int>, of devices: ClosedRange<UInt32>, in log: OverviewLog
    ) {
        for second in seconds {
            let time = OverviewLog.time(Double(second))
            for device in devices {
                var metrics = Metrics()
                metrics.state = .live
                metrics.distanceMeters = Double(second)
                let event = StreamEvent(deviceTime: time, kind: .metrics(metrics))
                log.append(event, of: device, arrival: time)
            }
        }
        log.set(Double(seconds.upperBound))
    }

    private static func lastMeters(_ overview: OverviewLog.Object) -> Double? {
        let points = overview["points"] as? [String: [Any]]
        return points?["distanceMeters"]?.last as? Double
    }

    @Test func `Within a second nothing is read again, and after it what is new`() throws {
        let log = try OverviewLog()
        Self.run(0..<100, of: 1...1, in: log)
        let sources = [log.source(Self.share(1), .none)]
        #expect(Self.lastMeters(try log.overview(of: sources)) == 99)
        Self.run(100..<101, of: 1...1, in: log)
        log.set(100.9)
        #expect(Self.lastMeters(try log.overview(of: sources)) == 99)
        log.set(101.1)
        #expect(Self.lastMeters(try log.overview(of: sources)) == 100)
    }

    @Test func `One runner of a group brings the others up to date`() throws {
        let log = try OverviewLog()
        Self.run(0..<300, of: 1...5, in: log)
        let sources = (1...5).map { log.source(Self.share($0), .none) }
        _ = try log.overview(of: sources, wanted: 2)
        #expect(log.reader.overviews.usage.count == 5)
        for wanted in 0..<5 {
            let form = ShareReader.OverviewRequest(
                sources: sources, wanted: wanted, points: 1024, parts: .all, inGroup: false,
                isCompressed: false)
            // An answer exists only of the one that was asked for.
            #expect((log.reader.knownOverview(form) != nil) == (wanted == 2))
            #expect(Self.lastMeters(try log.overview(of: sources, wanted: wanted)) == 299)
        }
    }

    @Test func `A cancelled reading continues where it was`() throws {
        let log = try OverviewLog()
        Self.run(0..<300, of: 1...2, in: log)
        let sources = (1...2).map { log.source(Self.share($0), .none) }
        let request = ShareReader.OverviewRequest(
            sources: sources, wanted: 0, points: 1024, parts: .all, inGroup: false,
            isCompressed: false)
        let ticket = ReadPool.Ticket()
        ticket.cancel()
        #expect(throws: ReadRefusal.cancelled) {
            try log.reader.overview(request, compress: { $0 }, ticket)
        }
        #expect(Self.lastMeters(try log.overview(of: sources)) == 299)
    }

    @Test func `Sessions that are forgotten leave nothing, also not of a reading under way`() throws
    {
        let log = try OverviewLog()
        Self.run(0..<100, of: 1...2, in: log)
        let overviews = log.reader.overviews
        let sources = (1...2).map { log.source(Self.share($0), .none) }
        _ = try log.overview(of: sources)
        #expect(overviews.usage.count == 2)
        overviews.forget([OverviewLog.session(1)])
        #expect(overviews.usage.count == 1)
        overviews.forget(of: DeviceID(rawValue: 2))
        #expect(overviews.usage == (0, 0))
        // Its compression ends after the session was erased.
        let request = ShareReader.OverviewRequest(
            sources: sources, wanted: 0, points: 9, parts: .all, inGroup: false, isCompressed: true)
        _ = try log.reader.overview(
            request,
            compress: {
                overviews.forget([OverviewLog.session(1), OverviewLog.session(2)])
                return $0
            }, ReadPool.Ticket())
        #expect(overviews.usage == (0, 0))
    }

    @Test func `What others forget meanwhile does not end a reading`() throws {
        let log = try OverviewLog()
        Self.run(0..<10, of: 1...2, in: log)
        let overviews = log.reader.overviews
        _ = try log.overview(of: [log.source(Self.share(1), .none)])
        let keys = try [UInt32(1), 2].map { try log.key(of: Self.share($0)) }
        let entry = try #require(overviews.entry(at: keys[0]))
        for (forgets, kept) in [
            ({ overviews.forget(of: DeviceID(rawValue: 2)) }, [true, false]),
            ({ overviews.forget([OverviewLog.session(1)]) }, [false, true]),
            ({ overviews.forget(of: DeviceID(rawValue: 3)) }, [true, true]),
        ] as [(() -> Void, [Bool])] {
            overviews.forget([OverviewLog.session(1), OverviewLog.session(2)])
            let reading = overviews.begin()
            forgets()
            for key in keys { overviews.keep(entry, at: key, of: reading) }
            overviews.end(reading)
            #expect(keys.map { overviews.entry(at: $0) != nil } == kept)
        }
    }

    @Test func `A device with many links takes no other's room`() throws {
        let log = try OverviewLog(segmentBytesMax: 4 << 20)
        let others: ClosedRange<UInt32> = 2...50
        Self.run(0..<1024, of: 1...50, in: log)
        _ = try log.overview(of: others.map { log.source(Self.share($0), .none) })
        let before = log.reader.overviews.usage
        for delaySeconds in 0..<64 {
            _ = try log.overview(
                of: [log.source(Self.share(1, delaySeconds: delaySeconds), .none)])
        }
        let usage = log.reader.overviews.usage
        #expect(usage.bytes <= before.bytes + Overviews.deviceBytesMax)
        for device in others {
            let key = try log.key(of: Self.share(device))
            #expect(log.reader.overviews.entry(at: key) != nil)
        }
    }

    @Test func `Another delay, scope or rule has an overview of its own`() throws {
        let log = try OverviewLog()
        Self.run(0..<100, of: 1...1, in: log)
        var narrow = Self.share(1)
        narrow.scope = .heartRate
        let hiding = PrivacySettings(
            zones: [], trimStartMeters: 100, trimFinishMeters: 0, salt: 1)
        for (source, meters) in [
            (log.source(Self.share(1), .none), 99.0),
            (log.source(Self.share(1, delaySeconds: 30), .none), 70),
            (log.source(narrow, .none), nil), (log.source(Self.share(1), hiding), nil),
        ] {
            #expect(Self.lastMeters(try log.overview(of: [source])) == meters)
        }
        #expect(log.reader.overviews.usage.count == 4)
    }

    @Test func `A full cache drops what was not used for longest`() throws {
        let log = try OverviewLog(segmentBytesMax: 4 << 20)
        let devices: ClosedRange<UInt32> = 1...200
        Self.run(0..<1024, of: devices, in: log)
        let sources = devices.map { log.source(Self.share($0), .none) }
        _ = try log.overview(of: sources)
        let usage = log.reader.overviews.usage
        #expect(usage.bytes <= Overviews.bytesMax && usage.bytes > Overviews.bytesMax / 2)
        #expect(usage.count < devices.count)
        #expect(Self.lastMeters(try log.overview(of: sources)) == 1023)
    }
}
