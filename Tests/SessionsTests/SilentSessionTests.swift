import Processing
import SensorModel
import Sharing
import Testing

@testable import Sessions

/// A watch that sends again under a session that silence has ended.
@Suite struct SilentSessionTests {
    /// Sends for a minute and is silent for two; silence ends a session after one.
    private static func silenced() throws -> FlowFixture {
        let fixture = try FlowFixture()
        try fixture.addWatchedShare(delaySeconds: 0)
        try fixture.send(60)
        for second in 61..<180 { fixture.flow.advance(to: FlowFixture.time(Double(second))) }
        let live = try #require(fixture.live)
        #expect(live.hasEnded)
        return fixture
    }

    private static func state(of fixture: FlowFixture) -> ValueState? {
        fixture.live?.computation?.processors.pipeline.metrics.state
    }

    @Test func `It goes on, in memory and in the log`() throws {
        let fixture = try Self.silenced()
        #expect(Self.state(of: fixture) == .ended)
        fixture.clockOffset = 120
        fixture.deviceOffset = 120
        try fixture.send(60)
        #expect(Self.state(of: fixture) == .live)
        #expect(fixture.live?.hasEnded == false)
        let metrics = fixture.live?.computation?.processors.pipeline.metrics
        #expect(metrics?.elapsedSeconds == 239)
        #expect(try fixture.replays())
    }

    @Test func `It ends again after another silence, and goes on again`() throws {
        let fixture = try Self.silenced()
        for round in 1...3 {
            fixture.clockOffset = Double(round) * 120
            fixture.deviceOffset = Double(round) * 120
            try fixture.send(60)
            #expect(Self.state(of: fixture) == .live)
            let now = fixture.flow.now
            for second in 1...90 {
                fixture.flow.advance(to: now.advanced(bySeconds: Double(second)))
            }
            #expect(Self.state(of: fixture) == .ended && fixture.live?.hasEnded == true)
        }
        #expect(try fixture.replays())
    }

    /// The share was made while the session was over.
    @Test func `Shares made meanwhile do not show it, those made before do`() throws {
        let fixture = try Self.silenced()
        let hub = fixture.flow.hub
        let later = Share(
            key: ShareKey(rawValue: 2), name: "later", idHash: .zero,
            target: .device(FlowFixture.device),
            createdAt: fixture.flow.now.advanced(bySeconds: -20))
        hub.put(later)
        _ = try #require(
            hub.join(later.key, loop: 1, cursor: fixture.flow.cursor, at: fixture.flow.now))
        fixture.clockOffset = 120
        fixture.deviceOffset = 120
        fixture.said.shares = []
        try fixture.send(60)
        #expect(Set(fixture.said.shares) == [FlowFixture.share().key])
    }
}
