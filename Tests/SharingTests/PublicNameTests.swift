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
        // The name goes to another runner, and an update of the first share does not take it back.
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
}
