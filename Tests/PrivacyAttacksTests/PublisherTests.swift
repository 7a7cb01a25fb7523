import PrivacyAttacks
import SensorModel
import Testing

@testable import Sharing

@testable import Sharing

@Suite struct PublisherTests {
    private static let town = Town(seed: 3)

    private static func settings(of home: Spot, trim: Double) -> PrivacySettings {
        let zone = PrivacyZone(
            name: "home", latitude: TownFrame.latitude(of: home),
            longitude: TownFrame.longitude(of: home), radiusMeters: 200)
        return PrivacySettings(
            zones: [zone], trimStartMeters: trim, trimFinishMeters: trim, salt: 7)
    }

    @Test(arguments: [Design.product[0], Design.otherCircles[0]])
    func `Values begin at the first shown point and rest while hidden`(design: Design) throws {
        var runner = Runner(in: Self.town, habit: .direct, seed: 6)
        let settings = Self.settings(of: runner.home.spot, trim: design.trimMeters)
        var shownRuns = 0
        for run in runner.runs(6) {
            let shown = design.publisher.publish(run, hiding: settings)
            guard let first = shown.points.first, let last = shown.points.last else { continue }
            shownRuns += 1
            #expect(first.distanceMeters == 0 && first.movingSeconds == 0)
            #expect(first.elapsedSeconds == 0 && first.elevationGainMeters == 0)
            let shownMeters = try #require(last.distanceMeters)
            let whole = try #require(run.samples.last?.distanceMeters)
            #expect(shownMeters < whole - 400)
            for (one, other) in zip(shown.points, shown.points.dropFirst())
            where other.followsHidden {
                let before = try #require(one.distanceMeters)
                let after = try #require(other.distanceMeters)
                // A split's record replaces the record of one second's metrics.
                #expect(abs(after - before) < 12)
            }
            #expect(shown.endedAt == nil)
        }
        #expect(shownRuns > 2)
    }

    /// The union of a device's shares shows what the projection shows and nothing else: a delay
    /// changes only the time, and a group has only its members' views.
    @Test(arguments: [0.0, 300])
    func `Shares with other delays show the same points`(trim: Double) throws {
        var runner = Runner(in: Self.town, habit: .direct, seed: 9)
        let settings = Self.settings(of: runner.home.spot, trim: trim)
        for run in runner.runs(2) {
            let expected = Set(
                SessionPublisher().publish(run, hiding: settings).points.compactMap(\.record))
            let live = try LiveShares(of: run, hiding: settings, delays: [0, 60, 1800]).records
            #expect(live.allSatisfy { $0 == live[0] })
            // A position that rounds to the one before is not sent again.
            #expect(live[0].isSubset(of: expected))
            #expect(live[0].count > expected.count * 9 / 10)
        }
    }
}

/// The live views of one run in several shares of a device.
private struct LiveShares {
    private var views: [ShareView] = []
    /// For each share, the records with a new position.
    private(set) var records: [Set<Int>] = []

    init(of run: RecordedRun, hiding settings: PrivacySettings, delays: [Int]) throws {
        let start = Timestamp(microseconds: 0)
        let cursor = LogCursor(epoch: 1, offset: RecordOffset(rawValue: 0))
        for (number, delay) in delays.enumerated() {
            let share = Share(
                key: ShareKey(rawValue: UInt32(number)), name: "share \(number)",
                idHash: try #require(SecretHash(bytes: [UInt8](repeating: 1, count: 32))),
                target: .device(DeviceID(rawValue: 1)), delaySeconds: delay, createdAt: start)
            views.append(ShareView(share, cursor: cursor, at: start))
            records.append([])
        }
        var session = SessionViews(
            session: SessionID(high: 0, low: 2), epoch: 1,
            privacy: settings)
        session.note(.beginning)
        for sample in run.samples {
            let event = RecordedRun.event(sample)
            let updates = session.take(
                event, at: sample.offset, arrival: event.deviceTime)
            show(updates.hiding ?? [], at: event.deviceTime)
        }
        while let due = session.nextDeadline { show(session.advance(to: due), at: due) }
        show([], at: Timestamp(microseconds: .max / 2))
    }

    private mutating func show(_ updates: [SessionUpdates.Dated], at now: Timestamp) {
        for index in views.indices {
            var shown = updates.compactMap { views[index].take($0.update, at: $0.arrival) }
            while let (_, update) = views[index].release(at: now) { shown.append(update) }
            for update in shown
            where update.changed.contains(where: { $0.key == .position && !$0.isNull }) {
                records[index].insert(Int(update.cursor.offset.rawValue))
            }
        }
    }
}
