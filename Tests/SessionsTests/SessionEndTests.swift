import SegmentLog
import SensorModel
import Sessions
import Sharing
import Testing

/// The end of a session as shares see it, while the session is read back or its device says hello
/// again.
@Suite struct SessionEndTests {
    private static func shown(_ fixture: FlowFixture, madeAt seconds: Double) -> SessionID? {
        var share = FlowFixture.share()
        share.scope = [.heartRate]
        share.createdAt = FlowFixture.time(seconds)
        return fixture.flow.hub.session(shownBy: share, at: fixture.flow.now)
    }

    @Test func `A stop that waits for a reading ends the session for shares made since`() throws {
        let fixture = try FlowFixture()
        try fixture.send(20)
        fixture.said.privacy.zones = [
            PrivacyZone(name: "far", latitude: 1, longitude: 1, radiusMeters: 100)
        ]
        fixture.flow.privacyChanged(of: FlowFixture.device)
        let reading = try #require(fixture.said.rebuilds.last)
        try fixture.send(1, .control(.stop))
        fixture.flow.log.syncAppended()
        try fixture.resume(reading)
        fixture.flow.advance(to: FlowFixture.time(30))
        #expect(fixture.live?.hasEnded == true)
        #expect(Self.shown(fixture, madeAt: 25) == nil)
        #expect(Self.shown(fixture, madeAt: 10) == FlowFixture.session)
    }

    @Test(arguments: [false, true])
    func `A hello and late frames for a session that is over show it to no newer share`(
        sendsMore: Bool
    ) throws {
        let fixture = try FlowFixture()
        try fixture.send(20)
        try fixture.send(1, .control(.stop))
        fixture.flow.advance(to: FlowFixture.time(30))
        #expect(Self.shown(fixture, madeAt: 25) == nil)
        _ = fixture.flow.open(
            FlowFixture.connection, device: FlowFixture.device, session: FlowFixture.session,
            recorded: false, arrival: FlowFixture.time(31))
        if sendsMore { try fixture.send(15) }
        #expect(Self.shown(fixture, madeAt: 25) == nil)
        #expect(Self.shown(fixture, madeAt: 10) == FlowFixture.session)
    }
}
