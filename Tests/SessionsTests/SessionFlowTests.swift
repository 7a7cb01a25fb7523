import Ingest
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Testing

/// Failures once found by the simulation, one test each.
@Suite struct SessionFlowTests {
    @Test func `Of two readings of a session only the one up to its backlog brings it back`()
        throws
    {
        let fixture = try FlowFixture()
        try fixture.send(5)
        fixture.flow.privacyChanged(of: FlowFixture.device)
        try fixture.send(3)
        fixture.flow.privacyChanged(of: FlowFixture.device)
        fixture.flow.log.syncAppended()
        let asked = fixture.said.rebuilds
        try #require(asked.count == 2)
        try fixture.resume(asked[0])
        #expect(fixture.live?.computation == nil)
        try fixture.resume(asked[1])
        #expect(fixture.live?.computation != nil)
        try fixture.send(5)
        #expect(try fixture.replays())
        #expect(fixture.said.sentences.isEmpty)
    }

    @Test func `A reading that missed what only memory holds is asked for again`() throws {
        let fixture = try FlowFixture()
        try fixture.send(5)
        fixture.flow.log.syncAppended()
        try fixture.send(3)
        fixture.flow.privacyChanged(of: FlowFixture.device)
        let asked = try #require(fixture.said.rebuilds.last)
        try fixture.resume(asked)
        #expect(fixture.live?.computation == nil)
        #expect(fixture.said.rebuilds == [asked, asked])
        fixture.flow.log.syncAppended()
        try fixture.resume(asked)
        #expect(fixture.live?.computation != nil)
        try fixture.send(5)
        #expect(try fixture.replays())
    }

    @Test(arguments: [0, 3])
    func `No viewer's cursor goes back while a session is read back`(delaySeconds: Int) throws {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        let share = FlowFixture.share(delaySeconds: delaySeconds)
        flow.hub.put(share)
        try fixture.send(5)
        // These records follow the newest one that viewers are shown.
        flow.profileChanged(of: FlowFixture.device)
        flow.privacyChanged(of: FlowFixture.device)
        let asked = try #require(fixture.said.rebuilds.last)
        fixture.said.shown = []
        let snapshot = try #require(
            flow.hub.join(share.key, loop: 0, cursor: flow.cursor, at: flow.now)?.snapshot)
        flow.log.syncAppended()
        try fixture.resume(asked)
        flow.advance(to: FlowFixture.time(20))
        #expect(!fixture.said.shown.isEmpty)
        #expect(fixture.said.shown.allSatisfy { $0.cursor >= snapshot.cursor })
    }

    /// The newer session has ended; the older continues with records held back by a trimmed finish.
    @Test(arguments: [0, 3])
    func `No viewer's cursor goes back to what another session of the runner held back`(
        delaySeconds: Int
    ) throws {
        var shown: [UInt64] = []
        let hub = ShareHub(
            send: { _, _, message in
                guard case .update(let update) = message else { return }
                shown.append(update.cursor.offset.rawValue)
            }, views: { _ in nil })
        let share = FlowFixture.share(delaySeconds: delaySeconds)
        hub.put(share)
        let cursor = LogCursor(epoch: 1, offset: RecordOffset(rawValue: 0))
        _ = hub.join(share.key, loop: 0, cursor: cursor, at: FlowFixture.time(0))
        let newer = SessionID(high: 3, low: 4)
        var views = [FlowFixture.session, newer].map {
            SessionViews(session: $0, epoch: 1, privacy: .none)
        }
        func publish(_ offset: UInt64, of index: Int, at seconds: Double) {
            let (now, offset) = (FlowFixture.time(seconds), RecordOffset(rawValue: offset))
            let event = StreamEvent(deviceTime: now, kind: .marker("\(offset)"))
            hub.publish(
                views[index].take(event, at: offset, arrival: now), of: FlowFixture.device, at: now)
        }
        hub.sessionBegan(FlowFixture.session, of: FlowFixture.device, at: FlowFixture.time(1))
        publish(5, of: 0, at: 1)
        hub.sessionBegan(newer, of: FlowFixture.device, at: FlowFixture.time(2))
        publish(20, of: 1, at: 2)
        hub.sessionEnded(
            newer, of: FlowFixture.device, at: FlowFixture.time(3),
            through: RecordOffset(rawValue: 20), isInView: true)
        publish(10, of: 0, at: 4)
        publish(30, of: 0, at: 5)
        hub.release(at: FlowFixture.time(20))
        #expect(shown == [5, 20, 30])
    }

    /// A hub with a delayed share, started on a log that holds 20 s of a session.
    private static func restoredHub(
        at now: Timestamp
    ) throws -> (hub: ShareHub, share: Share) {
        let fixture = try FlowFixture()
        try fixture.send(20)
        fixture.flow.log.syncAppended()
        let hub = ShareHub(send: { _, _, _ in }, views: { _ in nil })
        let share = FlowFixture.share(delaySeconds: 3)
        hub.put(share)
        hub.restore(fixture.flow.log.sessions(), lost: nil, at: now)
        // By the clock that was set back the share was made after it began; the log has no end.
        hub.resolve(FlowFixture.session, of: FlowFixture.device, ended: nil)
        return (hub, share)
    }

    @Test func `A clock set back before a start hides no session from who comes back to a delay`()
        throws
    {
        let now = FlowFixture.time(-1800)
        let (hub, share) = try Self.restoredHub(at: now)
        let open = hub.sessions(
            openTo: share, after: RecordOffset(rawValue: 0), at: now)
        #expect(open == [FlowFixture.session])
    }

    @Test(arguments: [0.0, 0.003, 0.0199])
    func `Silent sessions are looked at together, never early`(clockOffset: Double) throws {
        let fixture = try FlowFixture()
        fixture.clockOffset = clockOffset
        try fixture.send(5)
        let live = try #require(fixture.live)
        let change = try #require(live.computation?.silenceDeadline)
        let due = try #require(live.nextDeadline(silenceMicroseconds: 60_000_000))
        let wait = due.seconds(since: change.advanced(bySeconds: clockOffset))
        #expect(due.microseconds % 20_000 == 0)
        #expect((0..<0.02).contains(wait))
    }

    @Test func `A clock set back right after a start hides no session that goes on`() throws {
        let (hub, share) = try Self.restoredHub(at: FlowFixture.time(30))
        let now = FlowFixture.time(-1800)
        hub.release(at: now)
        hub.sessionBegan(FlowFixture.session, of: FlowFixture.device, at: now)
        let open = hub.sessions(
            openTo: share, after: RecordOffset(rawValue: 0), at: now)
        #expect(open == [FlowFixture.session])
    }

    @Test func `A delayed share made while a session runs begins at the log's cursor`() throws {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        try fixture.send(5)
        flow.profileChanged(of: FlowFixture.device)
        let share = FlowFixture.share(delaySeconds: 3)
        flow.hub.put(share)
        let snapshot = try #require(
            flow.hub.join(share.key, loop: 0, cursor: flow.cursor, at: flow.now)?.snapshot)
        flow.advance(to: FlowFixture.time(20))
        #expect(!fixture.said.shown.isEmpty)
        #expect(fixture.said.shown.allSatisfy { $0.cursor >= snapshot.cursor })
    }

    @Test(arguments: [4.0, 8.0, 60.0])
    func `What a delayed share holds when it expires is never shown`(expiry: Double) throws {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        try fixture.addWatchedShare(delaySeconds: 3, expiresAt: FlowFixture.time(expiry))
        try fixture.send(10)
        flow.advance(to: FlowFixture.time(30))
        let last = fixture.said.shown.map(\.time).max()
        #expect(last.map { $0.advanced(bySeconds: 3) < FlowFixture.time(expiry) } ?? (expiry < 5))
        #expect(fixture.said.shown.isEmpty == (expiry < 5))
    }

    @Test(arguments: [0, 3])
    func `A viewer who was sent away and leaves late takes nobody else's subscription`(
        delaySeconds: Int
    ) throws {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        let share = FlowFixture.share(delaySeconds: delaySeconds)
        let sendAway: [() -> Void] = [
            { flow.hub.close(share.key, code: .restarting) },
            { flow.hub.dropView(of: share.key) },
            { flow.hub.put(share) },
        ]
        flow.hub.put(share)
        for away in sendAway {
            let first = try #require(
                flow.hub.join(share.key, loop: 0, cursor: flow.cursor, at: flow.now))
            away()
            let second = try #require(
                flow.hub.join(share.key, loop: 0, cursor: flow.cursor, at: flow.now))
            flow.hub.leave(first.subscription)
            fixture.said.shown = []
            try fixture.send(5)
            #expect(!fixture.said.shown.isEmpty)
            flow.hub.leave(second.subscription)
            fixture.said.shown = []
            try fixture.send(5)
            #expect(fixture.said.shown.isEmpty)
        }
    }

    @Test(arguments: [0, 3])
    func `A clock that is set back by an hour keeps no viewer waiting for it`(
        delaySeconds: Int
    ) throws {
        let fixture = try FlowFixture()
        try fixture.addWatchedShare(delaySeconds: delaySeconds)
        try fixture.send(10)
        fixture.said.shown = []
        fixture.clockOffset = -3600
        try fixture.send(5)
        #expect(fixture.said.shown.count >= 5)
    }

    @Test(arguments: [-100_000.0, 0, 3000])
    func `Snapshots go on after the watch's clock is set`(bySeconds seconds: Double) throws {
        let fixture = try FlowFixture()
        try fixture.send(150)
        fixture.deviceOffset = seconds
        let set = fixture.flow.log.nextOffset
        try fixture.send(600)
        fixture.flow.log.syncAppended()
        var snapshots = 0
        try fixture.flow.log.reader().read(from: set) { header, _ in
            if header.type == .snapshot { snapshots += 1 }
            return true
        }
        #expect(snapshots >= 8)
    }

    /// A frame after a hole causes more records than the space reserved for a turn.
    @Test func `A frame that the log did not take is asked for again, and no ack passes it`() throws
    {
        let fixture = try FlowFixture(pendingBytesMax: 1 << 20)
        var sent = 0
        while fixture.said.disconnect.isEmpty, sent < 20_000 {
            try fixture.send(1)
            sent += 1
        }
        #expect(fixture.said.disconnect == [FlowFixture.connection])
        let flow = fixture.flow
        flow.log.syncAppended()
        let recorded = try #require(flow.log.summary(of: FlowFixture.session)).highestSequence
        #expect(Int(recorded.rawValue) < sent)
        let decision = flow.open(
            ConnectionID(rawValue: 2), device: FlowFixture.device, session: FlowFixture.session,
            recorded: false, arrival: flow.now)
        guard case .opened(let acknowledged, _, _) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(acknowledged == recorded)
    }
}
