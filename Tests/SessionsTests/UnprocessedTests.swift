import SegmentLog
import SensorModel
import Sessions
import Sharing
import Testing

/// Decisions while input that affects them is still unprocessed.
@Suite struct UnprocessedTests {
    @Test func `Time decides nothing of what was hidden after unread input arrived`() throws {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        fixture.said.privacy.trimFinishMeters = 200
        fixture.said.privacy.finishSecondsLate = 200
        try fixture.run(seconds: 60)
        for second in 61...150 { flow.advance(to: FlowFixture.time(Double(second))) }
        let live = try #require(fixture.live)
        #expect(live.hasEnded)
        let due = try #require(live.views.nextDeadline)
        flow.noteUnread(since: due.advanced(bySeconds: -5.5))
        flow.advance(to: due.advanced(bySeconds: 30))
        #expect(live.views.nextDeadline == due)
        flow.noteUnread(since: nil)
        flow.advance(to: due.advanced(bySeconds: 32))
        #expect(live.views.nextDeadline != due)
    }

    @Test func `Readers wait for the earliest input that is unread or waits for a rebuild`() throws
    {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        let reader = flow.log.reader()
        try fixture.send(5)
        flow.log.syncAppended()
        flow.noteUnread(since: nil)
        #expect(reader.unreadableSince == nil)
        flow.noteUnread(since: FlowFixture.time(9))
        #expect(reader.unreadableSince == FlowFixture.time(9))
        flow.privacyChanged(of: FlowFixture.device)
        try fixture.send(3)
        flow.noteUnread(since: FlowFixture.time(9))
        #expect(reader.unreadableSince == FlowFixture.time(6))
        flow.noteUnread(since: nil)
        #expect(reader.unreadableSince == FlowFixture.time(6))
        try fixture.resume(try #require(fixture.said.rebuilds.last))
        #expect(flow.sessions.waitsSince == nil)
        flow.log.syncAppended()
        #expect(reader.unreadableSince == nil)
    }

    @Test func `A session that leaves memory takes its backlog along`() throws {
        let fixture = try FlowFixture()
        try fixture.send(5)
        fixture.flow.privacyChanged(of: FlowFixture.device)
        try fixture.send(2)
        #expect(fixture.flow.sessions.waitsSince == FlowFixture.time(6))
        _ = fixture.flow.sessions.remove(FlowFixture.session)
        #expect(fixture.flow.sessions.waitsSince == nil)
    }
}
