import SensorModel
import Testing

@testable import Transport

@Suite struct TransportValueTests {
    // MARK: - Router

    static let router: Router = {
        var router = Router()
        for pattern in ["/", "/s/:share", "/v1/shares/:share/latest", "/files/*", "/a/b", "/a/:x"] {
            router.add(.get, pattern) { _ in .text(pattern) }
        }
        router.add(.post, "/a/b") { _ in .text("post") }
        return router
    }()

    @Test(
        arguments: [
            ("/", "/", [:]), ("/s/abc", "/s/:share", ["share": "abc"]),
            ("/s/a%2Fb", "/s/:share", ["share": "a/b"]), ("/s/", nil, [:]), ("/s", nil, [:]),
            ("/v1/shares/x/latest", "/v1/shares/:share/latest", ["share": "x"]),
            ("/v1/shares/x/latest/", nil, [:]), ("/files/a/b", "/files/*", ["*": "a/b"]),
            ("/a/b", "/a/b", [:]), ("/a/c", "/a/:x", ["x": "c"]), ("//", nil, [:]),
            ("/s/%zz", nil, [:]), ("/s/%ff", nil, [:]), ("*", nil, [:]), ("", nil, [:]),
        ] as [(String, String?, [String: String])])
    func `A path leads to the first pattern it fits`(
        path: String, pattern: String?, parameters: [String: String]
    ) async throws {
        switch Self.router.match(.get, path) {
        case .found(.respond(let respond), let found, _):
            let peer = PeerAddress.unixSocket
            let answer = await respond(HTTPRequest(method: .get, path: path, peer: peer))
            guard case .bytes(let bytes) = answer.body else { return }
            #expect(String(decoding: bytes, as: UTF8.self) == pattern)
            #expect(found == parameters)
        default: #expect(pattern == nil)
        }
    }

    @Test func `A wrong method names the right ones`() {
        guard case .wrongMethod(let allowed) = Self.router.match(.delete, "/a/b") else {
            Issue.record("found")
            return
        }
        #expect(allowed == [.get, .post, .head])
    }

    @Test func `A query is decoded pair by pair`() {
        let query = QueryItems("a=1&b=%C3%A4+x&c&=d&a=2&e=%f&g=%ff&h=i=j")
        #expect(query["a"] == "1" && query["b"] == "ä x" && query["c"]?.isEmpty == true)
        #expect(query["e"] == nil && query["g"] == nil && query["h"] == "i=j")
    }

    @Test func `Of a query or a form so many pairs are read`() {
        let query = QueryItems(String(repeating: "a&", count: 500_000) + "last=1")
        #expect(query.items.count == QueryItems.countMax && query["last"] == nil)
        #expect(QueryItems("a&&b&").items.map(\.name) == ["a", "b"])
    }

    // MARK: - Addresses

    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1", true), ("127.9.9.9:80", "127.9.9.9", true),
            ("10.0.0.1", "10.0.0.1", false), ("::1", "0:0:0:0:0:0:0:1", true),
            ("[::1]:80", "0:0:0:0:0:0:0:1", true), ("::ffff:127.0.0.1", "127.0.0.1", true),
            ("2001:db8::5", "2001:db8:0:0:0:0:0:5", false),
            ("fe80::1%eth0", "fe80:0:0:0:0:0:0:1", false),
            ("::", "0:0:0:0:0:0:0:0", false), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8", false),
            ("256.1.1.1", nil, false), ("1.2.3", nil, false), ("1.2.3.4.5", nil, false),
            ("+1.2.3.4", nil, false), ("1::2::3", nil, false), ("12345::", nil, false),
            ("1:2:3:4:5:6:7:8:9", nil, false), ("", nil, false), ("localhost", nil, false),
            ("1:2:3:4:5:6:7::8", nil, false), (":::", nil, false),
        ] as [(String, String?, Bool)])
    func `Addresses are read as people write them`(
        text: String, address: String?, isLoopback: Bool
    ) {
        let read = PeerAddress(text)
        #expect(read?.description == address)
        #expect(read?.isLoopback ?? false == isLoopback)
    }

    @Test func `A network of IPv6 is one address, one of IPv4 is not`() throws {
        func network(_ text: String) throws -> PeerAddress.Network {
            try #require(PeerAddress(text)).network
        }
        #expect(try network("2001:db8:1:2:3::4") == network("2001:db8:1:2:ffff::"))
        #expect(try network("2001:db8:1:2::") != network("2001:db8:1:3::"))
        #expect(try network("10.0.0.1") != network("10.0.0.2"))
    }

    @Test func `Only a trusted proxy is believed, and only about whom it saw`() throws {
        let proxy = try #require(PeerAddress("10.0.0.1"))
        let stranger = try #require(PeerAddress("192.0.2.7"))
        let fields: HTTPFields = [
            "X-Forwarded-For": "6.6.6.6, 192.0.2.7", "X-Forwarded-Proto": "https",
        ]
        let believed = ForwardedPeer(peer: proxy, isSecure: false, fields: fields, proxies: [proxy])
        #expect(believed.address == stranger && believed.isSecure)
        let refused = ForwardedPeer(
            peer: stranger, isSecure: false, fields: fields, proxies: [proxy])
        #expect(refused.address == stranger && !refused.isSecure)
    }

    // MARK: - Small machines

    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        ] as [(Int64, String)])
    func `A date is written as HTTP wants it`(seconds: Int64, text: String) {
        #expect(HTTPDate.text(seconds) == text)
    }

    @Test func `A reader says the same however its bytes are cut`() throws {
        var bytes = ClientFrame.text("héllo", final: false)
        bytes += ClientFrame.encode(opcode: 9, [7])
        bytes += ClientFrame.encode(opcode: 0, Array("wörld".utf8))
        bytes += ClientFrame.encode(opcode: 2, [UInt8](repeating: 9, count: 70_000))
        bytes += ClientFrame.encode(opcode: 8, [3, 0xE8])
        for size in [1, 2, 3, 7, 1000, bytes.count] {
            var reader = WebSocketReader(bounds: .init(messageBytesMax: 1 << 20))
            var seen: [String] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                let chunk = Array(bytes[start..<min(start + size, bytes.count)])
                var position = 0
                while let event = try reader.next(in: chunk.span, from: &position) {
                    switch event {
                    case .text: seen.append(String(decoding: reader.message, as: UTF8.self))
                    case .binary: seen.append("\(reader.message.count)")
                    case .ping(let payload): seen.append("ping \(payload)")
                    case .pong: seen.append("pong")
                    case .close(let code): seen.append("close \(code ?? 0)")
                    }
                }
            }
            #expect(seen == ["ping [7]", "héllowörld", "70000", "close 1000"])
        }
    }

    @Test func `Refusals are counted over a sliding window`() {
        var window = RefusalWindow(countMax: 3, seconds: 10)
        let times: [Int64] = [0, 4, 8, 9, 20, 21, 22, 23]
        let answers = times.map { window.admit(at: Timestamp(microseconds: $0 * 1_000_000)) }
        #expect(answers == [true, true, true, false, true, true, true, false])
    }

    @Test func `Due times come back in order`() {
        var due = DueTimes<Int>()
        var generator = SplitMix(state: 9)
        for number in (0..<1000).shuffled(using: &generator) { due.add(number, at: UInt64(number)) }
        #expect(due.take(by: 0) == 0 && due.take(by: 0) == nil)
        let rest = (1..<1000).map { _ in due.take(by: 5000) }
        #expect(rest == (1..<1000).map { Optional($0) })
    }

    @Test func `A header that could begin another line is left out`() {
        let response = HTTPResponse(
            status: 200, fields: ["A": "b\r\nC: d", "Content-Length": "9", "X Y": "z", "OK": "1"])
        let head = response.encodeHead(
            framing: .length(0), keepsAlive: true, date: "now", defaults: [:])
        #expect(
            String(decoding: head, as: UTF8.self)
                == "HTTP/1.1 200 OK\r\nDate: now\r\nOK: 1\r\nContent-Length: 0\r\n\r\n")
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
