import FaultyDisk
import Replay
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Testing

/// Paths to a viewer other than the live feed.
@Suite struct ViewingTests {
    /// Settings that hide a place where the fixture does not run.
    private static let far = PrivacySettings(
        zones: [
            PrivacyZone(
                name: "far", latitude: 10, longitude: 10, radiusMeters: 100)
        ], trimStartMeters: 0, trimFinishMeters: 0, salt: 1)

    private func records(
        of fixture: FlowFixture, hiding privacy: PrivacySettings
    ) throws -> ShownRecords {
        fixture.flow.log.syncAppended()
        let log = fixture.flow.log
        let summary = try #require(log.summary(of: FlowFixture.session))
        let rule = ProjectionRule(privacy)
        let index = try ProjectionIndex.reading(
            summary, rule: rule, reader: log.reader(), now: fixture.flow.now)
        return ShownRecords(
            summary, rule: rule, index: index, reader: log.reader(), epoch: log.epoch)
    }

    /// What counts back from there takes a time that tells nothing of the hidden records.
    @Test(arguments: [nil, 150.0])
    func `What is shown ends with the last shown record, however many hidden ones follow`(
        arrivedBy: Double?
    ) throws {
        var privacy = PrivacySettings.none
        privacy.zones = [
            PrivacyZone(
                name: "end", latitude: 48 + 2000 / 111_195, longitude: 11.5, radiusMeters: 200)
        ]
        let fixture = try FlowFixture()
        try fixture.run(seconds: 200)
        func shown() throws -> (times: ClosedRange<Timestamp>, ends: Timestamp) {
            let records = try records(of: fixture, hiding: privacy)
            let summary = try #require(fixture.flow.log.summary(of: FlowFixture.session))
            let shown = try #require(
                records.shown(of: summary, arrivedBy: arrivedBy.map(FlowFixture.time)))
            return (shown.times, try #require(summary.deviceTimes).upperBound)
        }
        let before = try shown()
        try fixture.send(50)
        let after = try shown()
        #expect(before.times == after.times && before.ends < after.ends)
        #expect(after.times.upperBound < FlowFixture.time(195))
        #expect(arrivedBy.map { after.times.upperBound <= FlowFixture.time($0) } ?? true)
    }

    @Test(arguments: [20.0, 61, 100, 130])
    func `A seek shows nothing that a delay still holds back`(seconds: Double) throws {
        let fixture = try FlowFixture()
        try fixture.run(seconds: 150)
        let begun = try RecordingSource.begin(
            records(of: fixture, hiding: Self.far), in: .all, at: FlowFixture.time(149),
            arrivedBy: FlowFixture.time(seconds), now: FlowFixture.time(150))
        let shown = try #require(begun?.everything)
        #expect(shown.time <= FlowFixture.time(seconds))
        #expect(shown.time > FlowFixture.time(seconds - 10))
    }

    /// The log's snapshot, one a minute, lies in between.
    @Test(arguments: [5.0, 100, 140])
    func `A seek tells when the session started`(seconds: Double) throws {
        let fixture = try FlowFixture()
        try fixture.run(seconds: 150)
        func startedAt(_ time: Timestamp) throws -> [UInt8]? {
            let begun = try RecordingSource.begin(
                records(of: fixture, hiding: .none), in: .all, at: time, arrivedBy: nil,
                now: FlowFixture.time(150))
            return begun?.everything.changed.first { $0.key == .startedAt }?.bytes
        }
        let live = fixture.live?.views.fields(hidingPlaces: false).everything
        let started = try #require(live?.changed.first { $0.key == .startedAt }?.bytes)
        #expect(try startedAt(FlowFixture.time(seconds)) == started)
    }

    /// Asks whether the share showed a cursor, after retention removed the oldest segment.
    @Test func `A cursor in a removed segment is answered with a gap`() throws {
        let fixture = try FlowFixture(segmentBytesMax: 4096)
        try fixture.run(seconds: 250)
        let log = fixture.flow.log
        log.syncAppended()
        let segments = log.segments()
        func record(from offset: RecordOffset) throws -> RecordOffset {
            var found = offset
            try log.reader().read(from: offset, session: FlowFixture.session) { header, _ in
                found = header.offset
                return false
            }
            return found
        }
        let removed = try record(from: segments[1].firstOffset)
        let kept = try record(from: segments[segments.count - 2].firstOffset)
        func isShown(_ offset: RecordOffset) throws -> Bool {
            let place = CursorPlace(log: log, now: fixture.flow.now) { _, _ in log.sessions() }
            let source = CatchUp.Source(
                share: FlowFixture.share(), privacy: .none, sessions: [FlowFixture.session],
                end: log.nextOffset)
            return try place.isShown(LogCursor(epoch: log.epoch, offset: offset), by: [source]) {
                _, _ in nil
            }
        }
        #expect(try isShown(removed))
        let bytes = segments.reduce(0) { $0 + $1.bytes }
        _ = try log.retain(
            arrivalBefore: nil, bytesMax: bytes - segments[0].bytes - segments[1].bytes)
        #expect(try !isShown(removed))
        #expect(try !isShown(RecordOffset(rawValue: 1)))
        #expect(try isShown(kept))
    }

    /// With a member that trims the finish, the cursors of the two would not rise otherwise.
    @Test(arguments: [0.0, 100])
    func `A member of a group is held back as long as the one who trims the finish`(
        secondsLate: Double
    ) throws {
        let fixture = try FlowFixture()
        try fixture.run(seconds: 150)
        try fixture.send(1, .marker("late"))
        let records = try records(of: fixture, hiding: .none)
        var source = CatchUp.Source(
            share: FlowFixture.share(), privacy: .none, sessions: [FlowFixture.session],
            end: fixture.flow.cursor.offset)
        source.secondsLate = secondsLate
        func told(at seconds: Double) throws -> Bool {
            var catchUp = CatchUp(
                [source], after: RecordOffset(rawValue: 0), newest: fixture.flow.cursor.offset,
                epoch: 1, inGroup: true)
            var texts: [String] = []
            while !catchUp.isComplete {
                texts += try catchUp.nextPart(at: FlowFixture.time(seconds)) { _, _ in records }
                    .map { String(decoding: $0.json, as: UTF8.self) }
            }
            return texts.contains { $0.contains("late") }
        }
        #expect(try told(at: 160) == (secondsLate == 0))
        #expect(try told(at: 260))
    }

    /// The live feed showed an event because a later record came, or did not come.
    @Test(arguments: zip([PrivacySettings.none, Self.far], [UInt64(50), 90]))
    func `Missed events are read once what decided on them is on disk`(
        privacy: PrivacySettings, needed: UInt64
    ) {
        let source = CatchUp.Source(
            share: FlowFixture.share(), privacy: privacy, sessions: [FlowFixture.session],
            end: RecordOffset(rawValue: 50))
        let catchUp = CatchUp(
            [source], after: RecordOffset(rawValue: 10), newest: RecordOffset(rawValue: 90),
            epoch: 1, inGroup: false)
        #expect(catchUp.needed == RecordOffset(rawValue: needed))
    }

    /// A share that shows another session until then begins with the first of these events.
    @Test func `Of several events that are released at once none is skipped`() throws {
        var privacy = PrivacySettings.none
        privacy.trimFinishMeters = 20
        privacy.finishSecondsLate = 160
        let fixture = try FlowFixture()
        fixture.said.privacy = privacy
        try fixture.run(seconds: 170)
        var views = try #require(fixture.live?.views)
        let released = views.advance(to: FlowFixture.time(200))
        let first = try #require(released.first)
        #expect(released.count { !$0.update.event.isEmpty } >= 2)
        #expect(first.everything?.cursor == first.update.cursor)
        #expect(released.dropFirst().allSatisfy { $0.everything == nil })
        #expect(
            zip(released, released.dropFirst()).allSatisfy { $0.update.cursor < $1.update.cursor })
        let state = first.everything?.changed.first { $0.key == .elapsedSeconds }
        let last = views.fields(hidingPlaces: true).everything.changed
            .first { $0.key == .elapsedSeconds }
        #expect(state != nil && state?.bytes != last?.bytes)
    }

    /// On a failing disk, readers lack a record that would overrule the decision by time.
    @Test func `Time decides nothing past a record that waits for the disk`() throws {
        var privacy = PrivacySettings.none
        privacy.trimFinishMeters = 20
        privacy.finishSecondsLate = 160
        let fixture = try FlowFixture()
        try fixture.run(seconds: 200)
        fixture.flow.log.syncAppended()
        try fixture.run(seconds: 4)
        let log = fixture.flow.log
        let summary = try #require(log.summary(of: FlowFixture.session))
        let late = FlowFixture.time(500)
        let index = try ProjectionIndex.reading(
            summary, rule: ProjectionRule(privacy), reader: log.reader(), now: late)
        let records = ShownRecords(
            summary, rule: ProjectionRule(privacy), index: index, reader: log.reader(),
            epoch: log.epoch)
        func shown() throws -> Timestamp? {
            var newest: Timestamp?
            var position = records.position(after: nil)
            try records.read(from: &position, arrivedBy: nil, now: late) {
                newest = $0.event.deviceTime
                return true
            }
            return newest
        }
        let before = try #require(try shown())
        #expect(before <= FlowFixture.time(201 + 5 - 160))
        log.syncAppended()
        let after = try #require(try shown())
        #expect(after > FlowFixture.time(100))
    }

    /// The way back passes the door, around which a trimmed start hides 50 m.
    @Test(arguments: [
        (50.0, "retention", false), (0, "retention", true), (50, "damage", false),
        (0, "damage", true), (50, "nothing", true),
    ])
    func `A session without its beginning is hidden if its start is trimmed`(
        trimStartMeters: Double, lost: String, isShown: Bool
    ) throws {
        var privacy = Self.far
        privacy.trimStartMeters = trimStartMeters
        let fixture = try FlowFixture(segmentBytesMax: 4096)
        try fixture.run(seconds: 250)
        let log = fixture.flow.log
        log.syncAppended()
        let segments = log.segments()
        #expect(segments.count > 2)
        switch lost {
        case "retention":
            let bytes = segments.reduce(0) { $0 + $1.bytes }
            _ = try log.retain(arrivalBefore: nil, bytesMax: bytes - segments[0].bytes)
            #expect(log.segments().count == segments.count - 1)
        case "damage":
            var bytes = fixture.disk.content(of: "000000000001.segment")
            for index in 128..<1200 { bytes[index] ^= 0xFF }
            fixture.disk.replace("000000000001.segment", with: bytes)
        default: break
        }
        fixture.said.privacy = privacy
        fixture.flow.privacyChanged(of: FlowFixture.device)
        let ticket = try #require(fixture.said.rebuilds.last)
        do { try fixture.resume(ticket) } catch is SessionReadError {
            #expect(lost != "nothing")
            fixture.flow.giveUp(ticket)
        }
        try fixture.run(seconds: 10)
        #expect(fixture.live?.views.isInView == isShown)

        let records = try records(of: fixture, hiding: privacy)
        var shown = 0
        var position = records.position(after: nil)
        try records.read(from: &position, arrivedBy: nil, now: fixture.flow.now) { _ in
            shown += 1
            return true
        }
        #expect((shown > 0) == isShown)
        let fields = try records.fields(
            at: FlowFixture.time(240), arrivedBy: nil, now: fixture.flow.now)
        #expect((fields != nil) == isShown)
    }

    /// Its view is brought up to the present again, by time alone.
    @Test(arguments: [0, 3]) func `Of a session that is read again nothing is shown twice`(
        delaySeconds: Int
    ) throws {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        fixture.said.privacy.trimFinishMeters = 20
        fixture.said.privacy.finishSecondsLate = 160
        try fixture.addWatchedShare(delaySeconds: delaySeconds)
        try fixture.run(seconds: 250)
        // The session's last record, followed by time alone.
        flow.advance(to: FlowFixture.time(311))
        flow.advance(to: FlowFixture.time(5000))
        let before = fixture.said.shown.count
        _ = flow.sessions.remove(FlowFixture.session)
        _ = flow.known(FlowFixture.session, isRecorded: false)
        fixture.flow.log.syncAppended()
        try fixture.resume(#require(fixture.said.rebuilds.last))
        flow.advance(to: FlowFixture.time(5010))
        let shown = fixture.said.shown
        #expect(before > 50 && shown.count > before)
        for (earlier, later) in zip(shown, shown.dropFirst()) {
            #expect(later.begins || earlier.cursor < later.cursor)
        }
    }

    @Test(arguments: [true, false])
    func `No viewer brings a session back that is being erased`(isInMemory: Bool) throws {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        let share = FlowFixture.share()
        flow.hub.put(share)
        try fixture.run(seconds: 30)
        flow.log.syncAppended()
        // As after a restart: the hub knows the session, and the log holds it.
        if !isInMemory { _ = flow.sessions.remove(FlowFixture.session) }
        #expect(
            flow.forget(FlowFixture.session, of: FlowFixture.device) == FlowFixture.connection)
        #expect(flow.sessionShown(by: share) == nil)
        #expect(flow.sessions[FlowFixture.session] == nil)
    }

    @Test func `Who comes back hears of what may have been the finish once`() throws {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        let share = FlowFixture.share()
        flow.hub.put(share)
        var privacy = PrivacySettings.none
        privacy.trimFinishMeters = 20
        privacy.finishSecondsLate = 160
        fixture.said.privacy = privacy
        try fixture.run(seconds: 250)
        let snapshot = try #require(
            flow.hub.join(share.key, loop: 0, cursor: flow.cursor, at: flow.now)?.snapshot)
        let missed = flow.hub.missed(
            of: share, before: snapshot, cursor: flow.cursor, hides: true)
        fixture.said.shown = []
        // Held-back events are released while the viewer's history is read.
        try fixture.run(seconds: 100)
        let records = try records(of: fixture, hiding: privacy)
        let source = CatchUp.Source(
            share: share, privacy: privacy, sessions: [FlowFixture.session], end: missed.through)
        var catchUp = CatchUp(
            [source], after: RecordOffset(rawValue: 0), newest: flow.cursor.offset,
            epoch: flow.log.epoch, inGroup: false)
        var told: [LogCursor] = []
        while !catchUp.isComplete {
            told += try catchUp.nextPart(at: flow.now) { _, _ in records }.map(\.cursor)
        }
        let fed = fixture.said.shown.filter { $0.event != nil }.map(\.cursor)
        #expect(!told.isEmpty)
        #expect(!fed.isEmpty)
        #expect(Set(told).isDisjoint(with: fed))
        var history: [LogCursor] = []
        var position = records.position(after: nil)
        try records.read(from: &position, arrivedBy: nil, now: flow.now) { shown in
            if case .metrics = shown.event.kind { return true }
            history.append(LogCursor(epoch: flow.log.epoch, offset: shown.offset))
            return true
        }
        #expect(told + fed == history)
    }

    @Test func `What was read by settings of before is not sent after a change of them`() throws {
        let fixture = try FlowFixture()
        try fixture.run(seconds: 60)
        let share = FlowFixture.share()
        let key = FeedKey(share.key, playback: 1)
        let feeds = FeedTable()
        let hub = PlaybackHub { _, key, update in feeds.apply(update, to: key) }
        let records = try records(of: fixture, hiding: Self.far)
        var (source, everything) = try #require(
            try RecordingSource.begin(
                records, in: .all, at: FlowFixture.time(15), arrivedBy: nil,
                now: FlowFixture.time(60)))
        hub.begin(key, of: share, with: everything)
        let (_, snapshot) = try #require(hub.join(key, loop: 0))
        let feed = feeds.open(key, runnerName: "", snapshot: snapshot)
        var queue = DeliveryState(rateHz: 1)
        var messages: [EncodedMessage] = []
        queue.begin([feed], at: 0, into: &messages)
        let ahead = try source.next(40, arrivedBy: nil, now: FlowFixture.time(60)).map(\.update)
        hub.publish(Array(ahead.prefix(20)), on: key)
        #expect(feed.revision > 1)

        hub.forget([share.key])
        hub.publish(Array(ahead.dropFirst(20)), on: key)
        messages = []
        _ = queue.flush([feed], at: 10_000_000_000, into: &messages)
        let texts = messages.map { String(decoding: $0.json, as: UTF8.self) }
        #expect(texts.count == 1)
        #expect(texts.allSatisfy { $0.contains("\"state\":\"waiting\"") })
        #expect(!texts.contains { $0.contains("position") || $0.contains("marker") })
        #expect(hub.join(key, loop: 0)?.snapshot.session == nil)

        hub.begin(key, of: share, with: everything)
        messages = []
        _ = queue.flush([feed], at: 20_000_000_000, into: &messages)
        #expect(messages.contains { String(decoding: $0.json, as: UTF8.self).contains("position") })
    }
}
