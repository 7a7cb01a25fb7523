import SensorModel
import Testing

@testable import Sharing

@Suite struct PublicNameTests {
    private static let now = Fixture.time(1000)

    private static func share(
        _ number: UInt32, device: UInt32 = 1, _ name: String?, expiresAt: Timestamp? = nil
    ) -> Share {
        var share = Fixture.share(number, device: device, expiresAt: expiresAt)
        share.publicName = name.flatMap { PublicName($0) }
        return share
    }

    @Test(
        arguments: [
            ("ann", "ann"), ("Ann", "ann"), ("@Ann-2_b", "ann-2_b"), ("an", nil), ("", nil),
            ("@", nil), ("@@ann", nil), ("ann b", nil), ("änn", nil), ("ann/x", nil),
            ("ann.b", nil),
            (String(repeating: "a", count: 32), String(repeating: "a", count: 32)),
            (String(repeating: "a", count: 33), nil), ("\u{212A}elvin", nil),
        ] as [(String, String?)])
    func `A public name is short ASCII in lower case`(text: String, name: String?) {
        #expect(PublicName(text)?.text == name)
        #expect(PublicName(marked: text)?.text == (text.hasPrefix("@") ? name : nil))
    }

    @Test func `A name finds its share for as long as that one is good`() throws {
        let ann = try #require(PublicName("ann"))
        var directory = ShareDirectory([
            Self.share(1, "ann", expiresAt: Fixture.time(1001)), Self.share(2, nil),
        ])
        #expect(directory.find(ann, at: Self.now)?.key.rawValue == 1)
        #expect(directory.find(ann, at: Fixture.time(1001)) == nil)
        #expect(directory.find(try #require(PublicName("anna")), at: Self.now) == nil)
        // The name goes to another runner, and what is put again of the first does not take it.
        directory.put(Self.share(3, device: 2, "ann"))
        directory.put(Self.share(1, "ann", expiresAt: Fixture.time(1001)))
        #expect(directory.find(ann, at: Fixture.time(1002))?.key.rawValue == 3)
        directory.remove(ShareKey(rawValue: 1))
        #expect(directory.find(ann, at: Fixture.time(1002))?.key.rawValue == 3)
        directory.remove(ShareKey(rawValue: 3))
        #expect(directory.find(ann, at: Fixture.time(1002)) == nil)
    }

    @Test func `A name is one runner's, and a runner has one`() throws {
        let ann = try #require(PublicName("ann"))
        var directory = ShareDirectory([Self.share(1, "ann", expiresAt: Fixture.time(2000))])
        func refusal(_ share: Share, at time: Timestamp = Self.now) -> ShareError? {
            do throws(ShareError) {
                try directory.check(share, at: time)
                return nil
            } catch { return error }
        }
        #expect(refusal(Self.share(1, "ann")) == nil)
        #expect(refusal(Self.share(5, device: 2, "ANN")) == .publicNameTaken(ann))
        #expect(refusal(Self.share(5, device: 2, "bob")) == nil)
        #expect(refusal(Self.share(5, "bob")) == .publicNameSecond(ann))
        #expect(refusal(Self.share(5, "bob"), at: Fixture.time(2000)) == nil)
        #expect(refusal(Self.share(5, device: 2, "ann"), at: Fixture.time(2000)) == nil)
        var group = Self.share(6, "all")
        group.target = .group([ShareKey(rawValue: 1), ShareKey(rawValue: 2)])
        #expect(refusal(group) == .publicNameOfGroup)
        var revoked = Self.share(1, "ann")
        revoked.revokedAt = Fixture.time(900)
        directory.put(revoked)
        #expect(refusal(Self.share(5, device: 2, "ann")) == nil)
    }

    struct Case: Sendable {
        let rule: String
        /// When each session began and ended.
        let spans: [(began: Double, ended: Double?)]
        var delaySeconds = 0
        let now: Double
        let shown: UInt64?
    }

    static let cases: [Case] = [
        Case(rule: "live", spans: [(110, nil)], now: 200, shown: 1),
        Case(rule: "over", spans: [(110, 150)], now: 200, shown: nil),
        Case(rule: "the next goes on", spans: [(110, 150), (160, nil)], now: 200, shown: 2),
        Case(rule: "one before goes on", spans: [(110, nil), (120, 130)], now: 200, shown: 1),
        Case(
            rule: "delay: still on for viewers", spans: [(110, 190)], delaySeconds: 60, now: 200,
            shown: 1),
        Case(
            rule: "delay: over for viewers", spans: [(110, 190)], delaySeconds: 60, now: 251,
            shown: nil),
    ]

    @Test(arguments: cases.indices)
    func `A public share shows the session that goes on, and none that is over`(index: Int) {
        let example = Self.cases[index]
        var sessions = DeviceSessions()
        for (number, span) in example.spans.enumerated() {
            let session = DeviceSessionsTests.session(UInt64(number + 1))
            sessions.began(session, at: span.began)
            if let ended = span.ended { sessions.ended(session, at: ended) }
        }
        var share = Self.share(1, "ann")
        share.delaySeconds = example.delaySeconds
        let shown = example.shown.map(DeviceSessionsTests.session)
        let now = Fixture.time(example.now)
        #expect(sessions.session(shownBy: share, at: now) == shown, "\(example.rule)")
        let open = sessions.sessions(openTo: share, after: RecordOffset(rawValue: 0), at: now)
        #expect(open == [shown].compactMap { $0 }, "\(example.rule)")
    }
}
