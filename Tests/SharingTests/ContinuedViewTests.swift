import SensorModel
import Testing

@testable import Sharing

/// Ends of a session that are none any more, as its shares see them.
@Suite struct ContinuedViewTests {
    private static let device = DeviceID(rawValue: 1)
    private static let session = SessionID(high: 0, low: 1)

    private static func share(
        delaySeconds: Int = 0, scope: Scope = .all, isPublic: Bool = true
    ) -> Share {
        var share = Fixture.share(scope: scope, delaySeconds: delaySeconds)
        if isPublic { share.publicName = PublicName("ann") }
        return share
    }

    private static func offset(_ number: UInt64) -> RecordOffset { RecordOffset(rawValue: number) }

    /// From 10 to 50, and on from 200.
    private static func continued() -> DeviceSessions {
        var sessions = DeviceSessions()
        sessions.began(session, of: device, at: Fixture.time(10))
        sessions.ended(session, of: device, at: Fixture.time(50), through: offset(50))
        sessions.continued(
            session, of: device, began: Fixture.time(10), overAt: Fixture.time(50),
            at: Fixture.time(200), isInView: true)
        return sessions
    }

    /// Each row has the delay, and the times between which the public name shows nothing.
    @Test(arguments: [Scope.all, [.heartRate]], [(0, 50.0, 230.0), (100, 150, 330)])
    func `A delayed name sees an end and a continuation by its delay later`(
        scope: Scope, row: (delaySeconds: Int, from: Double, to: Double)
    ) {
        var sessions = Self.continued()
        let share = Self.share(delaySeconds: row.delaySeconds, scope: scope)
        // Only a share with positions waits until the runner comes into view.
        let back = share.hidesPlaces ? row.to : row.to - 30
        func isShown(_ seconds: Double) -> Bool {
            sessions.session(shownBy: share, at: Fixture.time(seconds)) == Self.session
        }
        if row.delaySeconds > 0 {
            #expect(isShown(row.from - 1))
            #expect(!isShown(201))
        }
        sessions.shownAgain(Self.session, of: Self.device, at: Fixture.time(230))
        if row.delaySeconds > 0 {
            #expect(!isShown(row.from + 1))
            #expect(!isShown(231))
            #expect(!isShown(back - 1))
        }
        #expect(isShown(back))
    }

    @Test func `What is shown from before the end is no sign of the continuation`() {
        var sessions = Self.continued()
        for (number, isShown) in [(UInt64(40), false), (50, false), (51, true)] {
            sessions.shownAgain(
                Self.session, of: Self.device, through: Self.offset(number),
                at: Fixture.time(201))
            let shown = sessions.session(shownBy: Self.share(), at: Fixture.time(202))
            #expect((shown == Self.session) == isShown, "offset \(number)")
        }
    }

    /// The real end would tell how long the hidden way was.
    @Test func `A name forgets a runner when the view ends, not when the session does`() {
        var sessions = DeviceSessions()
        sessions.began(Self.session, of: Self.device, at: Fixture.time(10))
        func shown(_ share: Share) -> SessionID? {
            sessions.session(shownBy: share, at: Fixture.time(61))
        }
        sessions.endedInView(Self.session, of: Self.device, at: Fixture.time(50))
        #expect(shown(Self.share()) == nil)
        #expect(shown(Self.share(isPublic: false)) == Self.session)
        #expect(shown(Self.share(scope: [.heartRate])) == Self.session)
        sessions.ended(
            Self.session, of: Self.device, at: Fixture.time(60), through: Self.offset(60))
        #expect(shown(Self.share()) == nil)
        #expect(shown(Self.share(scope: [.heartRate])) == nil)
    }

    @Test func `A name shows a runner again who comes into view after the view's end`() {
        var sessions = DeviceSessions()
        sessions.began(Self.session, of: Self.device, at: Fixture.time(10))
        sessions.endedInView(Self.session, of: Self.device, at: Fixture.time(50))
        sessions.shownAgain(
            Self.session, of: Self.device, through: Self.offset(60), at: Fixture.time(60))
        #expect(
            sessions.session(shownBy: Self.share(), at: Fixture.time(61)) == Self.session)
    }
}
