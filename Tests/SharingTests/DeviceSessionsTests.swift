import SensorModel
import Sharing
import Testing

@Suite struct DeviceSessionsTests {
    static let device = DeviceID(rawValue: 1)

    static func session(_ number: UInt64) -> SessionID { SessionID(high: 0, low: number) }

    /// The first from 10 to 20, the second from 30 to 40.
    static var two: DeviceSessions {
        var sessions = DeviceSessions()
        sessions.began(session(1), at: 10)
        sessions.ended(session(1), at: 20)
        sessions.began(session(2), at: 30)
        sessions.ended(session(2), at: 40)
        return sessions
    }

    struct Case: Sendable {
        let rule: String
        /// Beginning and end of each session.
        let spans: [(began: Double, ended: Double?)]
        var delaySeconds = 0
        var isPublic = false
        let now: Double
        /// The expected session, from 1; `nil`: none.
        let shown: UInt64?
    }

    /// The share is made at 100.
    static let cases: [Case] = [
        Case(rule: "nothing yet", spans: [], now: 200, shown: nil),
        Case(rule: "ended before the share", spans: [(10, 99)], now: 200, shown: nil),
        Case(rule: "ended as it was made", spans: [(10, 100)], now: 200, shown: 1),
        Case(rule: "live since before", spans: [(10, nil)], now: 200, shown: 1),
        Case(rule: "ended since", spans: [(10, 150)], now: 200, shown: 1),
        Case(rule: "newest live", spans: [(10, nil), (120, nil)], now: 200, shown: 2),
        Case(rule: "live before ended", spans: [(110, nil), (120, 130)], now: 200, shown: 1),
        Case(rule: "last that ended", spans: [(110, 190), (120, 130)], now: 200, shown: 1),
        Case(rule: "old one stays hidden", spans: [(10, 50), (110, 130)], now: 200, shown: 2),
        Case(
            rule: "delay: not begun yet", spans: [(110, nil)], delaySeconds: 300, now: 200,
            shown: nil),
        Case(
            rule: "delay: begun by then", spans: [(110, nil)], delaySeconds: 300, now: 411,
            shown: 1),
        Case(
            rule: "delay: still the one before", spans: [(110, 200), (300, nil)],
            delaySeconds: 150, now: 400, shown: 1),
        Case(
            rule: "delay: lived then, ended since", spans: [(110, 390), (300, 310)],
            delaySeconds: 100, now: 420, shown: 1),
        Case(
            rule: "delay: both lived then", spans: [(110, 390), (300, 310)],
            delaySeconds: 100, now: 400, shown: 2),
        Case(rule: "public: live", spans: [(110, nil)], isPublic: true, now: 200, shown: 1),
        Case(rule: "public: over", spans: [(110, 150)], isPublic: true, now: 200, shown: nil),
        Case(
            rule: "public: the next goes on", spans: [(110, 150), (160, nil)], isPublic: true,
            now: 200, shown: 2),
        Case(
            rule: "public: one before goes on", spans: [(110, nil), (120, 130)], isPublic: true,
            now: 200, shown: 1),
        Case(
            rule: "public, delay: still on for viewers", spans: [(110, 190)], delaySeconds: 60,
            isPublic: true, now: 200, shown: 1),
        Case(
            rule: "public, delay: over for viewers", spans: [(110, 190)], delaySeconds: 60,
            isPublic: true, now: 251, shown: nil),
    ]

    @Test(arguments: cases.indices)
    func `A share shows the newest live session, else the last of its time, if it is not public`(
        index: Int
    ) {
        let example = Self.cases[index]
        var sessions = DeviceSessions()
        for (number, span) in example.spans.enumerated() {
            let session = Self.session(UInt64(number + 1))
            sessions.began(session, at: span.began)
        }
        let ends = example.spans.enumerated().compactMap { number, span in
            span.ended.map { (number: number, time: $0) }
        }
        for end in ends.sorted(by: { $0.time < $1.time }) {
            sessions.ended(Self.session(UInt64(end.number + 1)), at: end.time)
        }
        var share = Fixture.share(
            delaySeconds: example.delaySeconds, createdAt: Fixture.time(100))
        if example.isPublic { share.publicName = PublicName("ann") }
        let (now, shown) = (Fixture.time(example.now), example.shown.map(Self.session))
        #expect(sessions.session(shownBy: share, at: now) == shown, "\(example.rule)")
        guard example.isPublic else { return }
        let open = sessions.sessions(openTo: share, after: RecordOffset(rawValue: 0), at: now)
        #expect(open == [shown].compactMap { $0 }, "\(example.rule)")
    }

    @Test func `Another device's session, an expired share and a group show nothing`() {
        var sessions = DeviceSessions()
        sessions.began(Self.session(1), at: 10)
        #expect(sessions.session(shownBy: Fixture.share(device: 2), at: Fixture.time(20)) == nil)
        let expired = Fixture.share(expiresAt: Fixture.time(20))
        #expect(sessions.session(shownBy: expired, at: Fixture.time(20)) == nil)
        #expect(sessions.session(shownBy: expired, at: Fixture.time(19)) == Self.session(1))
        var group = Fixture.share()
        group.target = .group([ShareKey(rawValue: 1), ShareKey(rawValue: 2)])
        #expect(sessions.session(shownBy: group, at: Fixture.time(20)) == nil)
    }

    @Test(arguments: [0, 3])
    func `A clock that is set back hides no session`(delaySeconds: Int) {
        var sessions = DeviceSessions()
        let share = Fixture.share(delaySeconds: delaySeconds)
        sessions.began(Self.session(1), at: 3_600)
        sessions.ended(Self.session(1), at: 3_700)
        sessions.began(Self.session(2), at: 3_800)
        #expect(sessions.session(shownBy: share, at: Fixture.time(3_900)) == Self.session(2))
        sessions.clockWentBack(byMicroseconds: 3_600_000_000)
        #expect(sessions.session(shownBy: share, at: Fixture.time(301)) == Self.session(2))
        sessions.ended(Self.session(2), at: 400)
        sessions.began(Self.session(3), at: 500)
        #expect(sessions.session(shownBy: share, at: Fixture.time(504)) == Self.session(3))
    }

    @Test func `The session that ended last is shown though one before lies ahead of the clock`() {
        var sessions = DeviceSessions()
        let share = Fixture.share()
        sessions.began(Self.session(1), at: 3_600)
        sessions.ended(Self.session(1), at: 3_700)
        // The clock was set back while the daemon did not run.
        sessions.began(Self.session(2), at: 10)
        sessions.ended(Self.session(2), at: 20)
        #expect(sessions.session(shownBy: share, at: Fixture.time(30)) == Self.session(2))
    }

    @Test func `A session found to be over once more leaves the newer one in place`() {
        var sessions = Self.two
        let share = Fixture.share()
        sessions.ended(Self.session(1), at: 50)
        #expect(sessions.session(shownBy: share, at: Fixture.time(60)) == Self.session(2))
    }

    @Test func `A session that goes on is live again, and an erased one is gone`() {
        var sessions = Self.two
        let share = Fixture.share()
        #expect(sessions.session(shownBy: share, at: Fixture.time(50)) == Self.session(2))
        sessions.began(Self.session(1), at: 60)
        #expect(sessions.session(shownBy: share, at: Fixture.time(70)) == Self.session(1))
        sessions.erased(Self.session(1), of: Self.device)
        #expect(sessions.session(shownBy: share, at: Fixture.time(70)) == Self.session(2))
        sessions.erased(Self.session(2), of: Self.device)
        #expect(sessions.session(shownBy: share, at: Fixture.time(70)) == nil)
    }

    @Test func `Who comes back is told of every session since, and not of what is gone`() {
        var sessions = DeviceSessions()
        let share = Fixture.share(createdAt: Fixture.time(30))
        for number in UInt64(1)...4 {
            sessions.began(Self.session(number), at: Double(number) * 20)
            if number < 4 { sessions.ended(Self.session(number), at: Double(number) * 20 + 10) }
        }
        func open(after offset: UInt64) -> [SessionID] {
            sessions.sessions(
                openTo: share, after: RecordOffset(rawValue: offset), at: Fixture.time(100))
        }
        // The first ended as the share was made.
        #expect(open(after: 0) == (1...4).map(Self.session))
        #expect(open(after: 45) == (2...4).map(Self.session))
        #expect(open(after: 70) == [Self.session(4)])
        #expect(open(after: 500) == [Self.session(4)])
        sessions.erased(Self.session(2), of: Self.device)
        #expect(open(after: 25) == [1, 3, 4].map(Self.session))
        for number in UInt64(1)...4 { sessions.erased(Self.session(number), of: Self.device) }
        #expect(open(after: 0).isEmpty)
    }

    @Test func `Sessions that stayed hidden push out none that was in view`() {
        var sessions = DeviceSessions()
        sessions.began(Self.session(1), at: 1)
        sessions.ended(Self.session(1), at: 2)
        for number in UInt64(2)...100 {
            sessions.began(
                Self.session(number), of: Self.device, at: Fixture.time(Double(number)),
                isInView: false)
            sessions.ended(Self.session(number), at: Double(number) + 0.5)
        }
        let placed = Fixture.share(scope: .all)
        #expect(sessions.session(shownBy: placed, at: Fixture.time(200)) == Self.session(1))
        let rates = Fixture.share(scope: [.heartRate])
        #expect(sessions.session(shownBy: rates, at: Fixture.time(200)) == Self.session(100))
    }

    /// The first session is in view; the second is known from the log only.
    @Test(arguments: [nil, 40.0])
    func `A session from before a restart is shown from the moment on that its reading tells`(
        cameIntoView: Double?
    ) {
        var placed = Fixture.share(scope: .all)
        placed.delaySeconds = 100
        let live = Fixture.share(scope: .all)
        for isChanged in [false, true] {
            var sessions = DeviceSessions()
            sessions.began(Self.session(1), at: 1)
            sessions.ended(Self.session(1), at: 2)
            sessions.began(
                Self.session(2), of: Self.device, at: Fixture.time(10),
                isInView: isChanged ? false : nil)
            if isChanged { sessions.forgetViews(of: Self.device) }
            #expect(sessions.unresolved(by: live, at: Fixture.time(50))?.session == Self.session(2))
            #expect(
                sessions.unresolved(by: Fixture.share(scope: [.heartRate]), at: Fixture.time(50))?
                    .session
                    == nil)
            sessions.resolve(
                Self.session(2), of: Self.device,
                cameIntoView: cameIntoView.map { Fixture.time($0) })
            let isInView = cameIntoView != nil
            func shown(_ share: Share, _ time: Double) -> SessionID? {
                sessions.session(shownBy: share, at: Fixture.time(time))
            }
            #expect(shown(live, 50) == Self.session(isInView ? 2 : 1))
            // The delay of a share starts at the first shown point, not at the session's start.
            #expect(shown(placed, 139) == Self.session(1))
            #expect(shown(placed, 141) == Self.session(isInView ? 2 : 1))
            // A live observation overrides a reading.
            sessions.cameIntoView(Self.session(2), of: Self.device, at: Fixture.time(60))
            sessions.resolve(Self.session(2), of: Self.device, cameIntoView: nil)
            #expect(shown(live, 61) == Self.session(2))
        }
    }

    @Test(arguments: [nil, 20.0, 40])
    func `A share made after a session began shows it once its end was read, after a restart`(
        endedAt: Double?
    ) {
        var sessions = DeviceSessions()
        sessions.began(Self.session(1), at: 10)
        // A late record came at 50.
        sessions.ended(
            Self.session(1), of: Self.device, at: Fixture.time(50),
            through: RecordOffset(rawValue: 50), isCertain: false)
        let made = Fixture.share(scope: .all, createdAt: Fixture.time(30))
        let before = Fixture.share(scope: .all, createdAt: Fixture.time(5))
        let now = Fixture.time(60)
        #expect(sessions.session(shownBy: before, at: now) == Self.session(1))
        #expect(sessions.unresolved(by: before, at: now) == nil)
        #expect(sessions.session(shownBy: made, at: now) == nil)
        #expect(sessions.unresolved(by: made, at: now)?.isOfEnd == true)
        sessions.resolve(
            Self.session(1), of: Self.device, ended: endedAt.map { Fixture.time($0) })
        #expect(sessions.unresolved(by: made, at: now) == nil)
        let isOpen = endedAt.map { $0 >= 30 } ?? true
        #expect(sessions.session(shownBy: made, at: now) == (isOpen ? Self.session(1) : nil))
    }

    @Test(arguments: [0, 5])
    func `A hidden session ends for a share with positions when its view does`(
        delaySeconds: Int
    ) {
        var sessions = DeviceSessions()
        sessions.began(Self.session(1), at: 10)
        sessions.began(Self.session(2), at: 20)
        sessions.ended(
            Self.session(2), of: Self.device, at: Fixture.time(30),
            through: RecordOffset(rawValue: 30), isInView: false)
        let placed = Fixture.share(scope: .all, delaySeconds: delaySeconds)
        let rates = Fixture.share(scope: [.heartRate], delaySeconds: delaySeconds)
        func shown(_ share: Share, _ seconds: Double) -> SessionID? {
            sessions.session(shownBy: share, at: Fixture.time(seconds + Double(delaySeconds)))
        }
        #expect(shown(rates, 31) == Self.session(1))
        #expect(shown(placed, 31) == Self.session(2))
        sessions.endedInView(Self.session(2), of: Self.device, at: Fixture.time(90))
        #expect(shown(placed, 91) == Self.session(1))
    }

    @Test func `Whoever saw a newer session begin and end is not led back to a hidden one`() {
        var sessions = DeviceSessions()
        sessions.began(Self.session(1), at: 10)
        sessions.ended(
            Self.session(1), of: Self.device, at: Fixture.time(20),
            through: RecordOffset(rawValue: 20), isInView: false)
        sessions.began(Self.session(2), at: 30)
        let placed = Fixture.share(scope: .all)
        func shown(_ seconds: Double) -> SessionID? {
            sessions.session(shownBy: placed, at: Fixture.time(seconds))
        }
        #expect(shown(31) == Self.session(2))
        sessions.ended(Self.session(2), at: 40)
        #expect(shown(41) == Self.session(2))
        sessions.endedInView(Self.session(1), of: Self.device, at: Fixture.time(90))
        #expect(shown(91) == Self.session(2))
    }

    /// The session left memory, and its device returns to it.
    @Test(arguments: [true, false])
    func `One that goes on after it was over is not shown on a share made meanwhile`(
        isKnown: Bool
    ) {
        var sessions = DeviceSessions()
        if isKnown {
            sessions.began(Self.session(1), at: 10)
            sessions.ended(Self.session(1), at: 20)
        }
        let (before, made) = (Fixture.share(), Fixture.share(createdAt: Fixture.time(30)))
        sessions.continued(
            Self.session(1), of: Self.device, began: Fixture.time(10), overAt: Fixture.time(25),
            at: Fixture.time(40), isInView: true)
        let now = Fixture.time(41)
        #expect(sessions.session(shownBy: before, at: now) == Self.session(1))
        #expect(sessions.session(shownBy: made, at: now) == nil)
        #expect(sessions.unresolved(by: made, at: now) == nil)
        sessions.ended(Self.session(1), at: 50)
        #expect(sessions.session(shownBy: made, at: Fixture.time(51)) == nil)
    }

    @Test func `A hidden continuation is none for shares with positions until it is shown`() {
        var sessions = DeviceSessions()
        for number in 1...2 {
            sessions.began(Self.session(UInt64(number)), at: Double(10 * number))
            sessions.ended(Self.session(UInt64(number)), at: Double(10 * number) + 5)
        }
        let (placed, rates) = (Fixture.share(scope: .all), Fixture.share(scope: [.heartRate]))
        func shown(_ share: Share) -> SessionID? {
            sessions.session(shownBy: share, at: Fixture.time(41))
        }
        sessions.continued(
            Self.session(1), of: Self.device, began: Fixture.time(10), overAt: Fixture.time(15),
            at: Fixture.time(40), isInView: true)
        #expect(shown(rates) == Self.session(1))
        #expect(shown(placed) == Self.session(2))
        sessions.shownAgain(Self.session(1), of: Self.device, at: Fixture.time(40))
        #expect(shown(placed) == Self.session(1))
    }

    /// After a restart, the log tells whether the session had ended, even if it continues.
    @Test(arguments: [nil, 25.0, 45])
    func `One that goes on is shown on a share made since it began once its end was read`(
        overAt: Double?
    ) {
        var sessions = DeviceSessions()
        sessions.began(Self.session(1), at: 10)
        sessions.ended(
            Self.session(1), of: Self.device, at: Fixture.time(20),
            through: RecordOffset(rawValue: 20), isCertain: false)
        let made = Fixture.share(createdAt: Fixture.time(15))
        sessions.continued(
            Self.session(1), of: Self.device, began: Fixture.time(10), overAt: nil,
            at: Fixture.time(40), isInView: true)
        #expect(sessions.session(shownBy: made, at: Fixture.time(41)) == nil)
        #expect(sessions.unresolved(by: made, at: Fixture.time(41))?.isOfEnd == true)
        sessions.resolve(
            Self.session(1), of: Self.device, ended: overAt.map { Fixture.time($0) })
        #expect(sessions.unresolved(by: made, at: Fixture.time(41)) == nil)
        #expect(sessions.session(shownBy: made, at: Fixture.time(41)) == Self.session(1))
        let later = Fixture.share(createdAt: Fixture.time(30))
        let isShown = overAt.map { $0 >= 30 } ?? true
        #expect(
            sessions.session(shownBy: later, at: Fixture.time(41))
                == (isShown ? Self.session(1) : nil))
    }

    @Test func `A thousand ended sessions are not all remembered, the last is`() {
        var sessions = DeviceSessions()
        for number in UInt64(1)...1000 {
            sessions.began(Self.session(number), at: Double(number))
            sessions.ended(Self.session(number), at: Double(number) + 0.5)
        }
        let share = Fixture.share()
        #expect(sessions.session(shownBy: share, at: Fixture.time(2000)) == Self.session(1000))
    }
}

extension DeviceSessions {
    /// Begins a session of the suite's device, with a record a second.
    fileprivate mutating func began(_ session: SessionID, at seconds: Double) {
        began(session, of: DeviceSessionsTests.device, at: Fixture.time(seconds))
    }

    fileprivate mutating func ended(_ session: SessionID, at seconds: Double) {
        ended(
            session, of: DeviceSessionsTests.device, at: Fixture.time(seconds),
            through: RecordOffset(rawValue: UInt64(seconds)))
    }
}
