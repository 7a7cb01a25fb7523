import Testing

@testable import Transport

@Suite struct RequestOriginTests {
    private static func isOwners(
        from peer: String, _ fields: HTTPFields, proxies: [String] = []
    ) throws -> Bool {
        RequestOrigin(
            peer: try #require(PeerAddress(peer)), fields: fields,
            proxies: proxies.compactMap { PeerAddress($0) }
        ).isOwners
    }

    @Test(arguments: [
        ("127.0.0.1", "localhost", true), ("127.0.0.1", "LOCALHOST:7480", true),
        ("127.0.0.1", "127.0.0.1:7480", true), ("127.0.0.9", "127.1.2.3", true),
        ("::1", "[::1]:7480", true), ("::ffff:127.0.0.1", "localhost:9", true),
        // A site whose name leads to this machine.
        ("127.0.0.1", "evil.example:7480", false), ("127.0.0.1", "localhost.evil.example", false),
        ("127.0.0.1", "127.0.0.1.evil.example", false), ("127.0.0.1", "0.0.0.0:7480", false),
        ("127.0.0.1", "192.168.1.5:7480", false), ("127.0.0.1", "", false),
        // Other machines that name loopback.
        ("203.0.113.9", "localhost", false), ("203.0.113.9", "127.0.0.1:7480", false),
        ("192.168.1.5", "localhost", false), ("172.17.0.1", "localhost", false),
        ("2001:db8::1", "[::1]", false), ("::ffff:203.0.113.9", "localhost", false),
    ])
    func `A loopback connection is this machine if Host names loopback, too`(
        peer: String, host: String, isOwners: Bool
    ) throws {
        #expect(try Self.isOwners(from: peer, ["Host": host]) == isOwners)
    }

    @Test func `A request without Host, or over a Unix socket, is not from this machine`() throws {
        #expect(try !Self.isOwners(from: "127.0.0.1", [:]))
        let origin = RequestOrigin(
            peer: .unixSocket, fields: ["Host": "localhost"], proxies: [])
        #expect(!origin.isOwners)
    }

    @Test(arguments: [
        ("X-Forwarded-For", "127.0.0.1"), ("X-Forwarded-Proto", "https"), ("X-Real-IP", "::1"),
        ("X-Forwarded-Host", "localhost"), ("Forwarded", "for=127.0.0.1;proto=https"),
        ("Via", "1.1 proxy"),
    ])
    func `A forwarding field of an untrusted peer refuses its request`(
        name: String, value: String
    ) throws {
        for peer in ["127.0.0.1", "::1", "203.0.113.9"] {
            let fields: HTTPFields = ["Host": "localhost", name: value]
            #expect(try !Self.isOwners(from: peer, fields), "\(peer)")
        }
    }

    @Test(
        arguments: [
            ([("X-Forwarded-Proto", "https")], true), ([("X-Forwarded-Proto", "HTTPS")], true),
            ([("X-Forwarded-Proto", "http, https")], true),
            ([("X-Forwarded-Proto", "http")], false),
            ([("X-Forwarded-Proto", "https, http")], false),
            ([("X-Forwarded-Proto", "https"), ("X-Forwarded-Proto", "http")], false),
            ([("X-Forwarded-Proto", "")], false),
            ([("X-Forwarded-For", "127.0.0.1")], false), ([("Forwarded", "proto=https")], false),
            // As a proxy's client makes it look that has the proxy leave out its fields.
            ([], false),
        ] as [([(String, String)], Bool)])
    func `A trusted proxy must say https, and is not this machine itself`(
        extra: [(String, String)], isOwners: Bool
    ) throws {
        for (peer, host) in [("127.0.0.1", "localhost"), ("10.0.0.1", "run.example")] {
            var fields: HTTPFields = ["Host": host]
            for (name, value) in extra { fields.append(name, value) }
            #expect(
                try Self.isOwners(from: peer, fields, proxies: ["127.0.0.1", "10.0.0.1"])
                    == isOwners)
        }
    }

    @Test func `A route for the owner does not exist for others`() {
        var router = Router()
        router.add(.get, "/a", reach: .owner) { _ in .text("a") }
        router.add(.post, "/:x") { _ in .text("x") }
        guard case .unknown = router.match(.get, "/b/c"),
            case .wrongMethod([.post]) = router.match(.get, "/a"),
            case .found(_, let found, _) = router.match(.post, "/a"),
            case .found = router.match(.get, "/a", isOwners: true),
            case .wrongMethod([.get, .post, .head]) = router.match(
                .delete, "/a", isOwners: true)
        else {
            Issue.record("another route, or none")
            return
        }
        #expect(found == ["x": "a"])
    }
}
