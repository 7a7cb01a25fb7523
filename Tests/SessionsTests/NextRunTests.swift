import SensorModel
import Sessions
import Sharing
import Testing

/// A watch sends its memory of a run, and begins another run in the same session soon after.
@Suite struct NextRunTests {
    private static let trimmed = PrivacySettings(
        zones: [], trimStartMeters: 300, trimFinishMeters: 0, salt: 1)

    /// A run that arrives a hundred times as fast as it was run, and 40 s of silence: 60 end a session.
    private static func uploaded() throws -> FlowFixture {
        let fixture = try FlowFixture()
        fixture.said.privacy = trimmed
        try fixture.addWatchedShare(delaySeconds: 0)
        for second in 0..<300 {
            fixture.clockOffset = -0.99 * Double(second)
            try fixture.run(seconds: 1)
        }
        for second in 4...44 { fixture.flow.advance(to: FlowFixture.time(Double(second))) }
        #expect(!fixture.said.shown.isEmpty)
        return fixture
    }

    @Test(arguments: [610.0, 1200, 1830, 3000, 5000, 14_400, 80_000, 200_000])
    func `Nothing tells its beginning before its first visible point`(hole: Double) throws {
        let fixture = try Self.uploaded()
        let count = fixture.said.shown.count
        fixture.deviceOffset = hole
        fixture.clockOffset = -255
        try fixture.send(5)
        try fixture.run(seconds: 25)
        #expect(fixture.said.shown.count == count)
        try fixture.run(seconds: 400)
        #expect(fixture.said.shown.count > count)
        #expect(try fixture.replays())
    }
}
