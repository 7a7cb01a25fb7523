import Testing
import Transport

/// A request with two possible readings is refused, and the connection ends.
@Suite(.serialized) struct MalformedRequestTests {
    private static let end = "\r\n\r\n"

    private static func post(_ fields: String, _ body: String = "0\r\n\r\n") -> String {
        "POST /size HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n\(body)"
    }

    /// Ambiguous or invalid framing of the body.
    static let framing: [String] = [
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Content-Length: 5\r\nContent-Length: 5",
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5, 5", "Content-Length: 5,6", "Content-Length: +5",
        "Content-Length: -5", "Content-Length: 0x5", "Content-Length: 5a",
        "Content-Length: 5 5", "Content-Length: 5.0", "Content-Length: ",
        "Content-Length: 99999999999999999999999", "Content-Length: \"5\"",
        "Content-Length : 5", "Content-Length\t: 5", "Content-Length:\r\n 5",
        "Transfer-Encoding : chunked", "Transfer-Encoding\t: chunked",
        "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: chunked\r\n ,identity",
        "Transfer-Encoding: xchunked", "Transfer-Encoding: chunkedx",
        "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: gzip", "Transfer-Encoding: identity",
        "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;q=1",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: \u{B}chunked", "Transfer-Encoding: chunked\u{B}",
        "Transfer-Encoding: \u{0}chunked", "Transfer-Encoding: chunked\u{0}",
        "Transfer_Encoding: chunked\r\nTransfer-Encoding: gzip",
        "X: y\nTransfer-Encoding: chunked", "X: y\rTransfer-Encoding: chunked",
        "X: y\r\rTransfer-Encoding: chunked", "X: y\n\rTransfer-Encoding: chunked",
        " Transfer-Encoding: chunked", "\tTransfer-Encoding: chunked",
        "Transfer-Encoding chunked", ": chunked", "Transfer-Encoding:: chunked",
    ].map { post($0) }

    static let chunks: [String] = [
        "3\nabc\r\n0\r\n\r\n", "3\r\nabc\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n",
        "3\r\nabc0\r\n\r\n", "0x3\r\nabc\r\n0\r\n\r\n", "+3\r\nabc\r\n0\r\n\r\n",
        "-3\r\nabc\r\n0\r\n\r\n", " 3\r\nabc\r\n0\r\n\r\n", "3 \r\nabc\r\n0\r\n\r\n",
        "g\r\nabc\r\n0\r\n\r\n", "\r\nabc\r\n0\r\n\r\n", "3;\nabc\r\n0\r\n\r\n",
        "3;a\nb\r\nabc\r\n0\r\n\r\n", "3;a\rb\r\nabc\r\n0\r\n\r\n",
        "FFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n", "3\r\nabc\r\n0\r\nA: b\nC: d\r\n\r\n",
        "3\r\nabc\r\n0\r\n A: b\r\n\r\n", "3\r\nabc\r\n0\r\nA b\r\n\r\n",
        "3\u{0}\r\nabc\r\n0\r\n\r\n", "3\r\nabc\r\n0\n\r\n",
    ].map { post("Transfer-Encoding: chunked", $0) }

    static let heads: [String] =
        [
            "GET /hello HTTP/1.1\nHost: x\r\n\r\n", "GET /hello HTTP/1.1\r\nHost: x\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: x\r\n\n", "GET /hello HTTP/1.1\rHost: x\r\n\r\n",
            "GET /hello HTTP/1.1\r\n Host: x\r\n\r\n", "GET /hello HTTP/1.1\r\nHost : x\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost\r\n\r\n", "GET /hello HTTP/1.1\r\n: x\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHo st: x\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: x\r\n y\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: x\r\nA: b\r\n\tc\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: a\u{0}b\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: a\u{7}b\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: x\r\nA\u{0}: b\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: x\r\nA(: b\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: x\r\nÄ: b\r\n\r\n",
            "GET /hello HTTP/1.1\r\n\r\n", "GET /hello HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: a b\r\n\r\n", "GET /hello HTTP/1.1\r\nHost: a/b\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: a@b\r\n\r\n", "GET /hello HTTP/1.1\r\nHost: a,b\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: a?b\r\n\r\n", "GET /hello HTTP/1.1\r\nHost: a#b\r\n\r\n",
            "GET /hello HTTP/1.1 \r\nHost: x\r\n\r\n", "GET /hello HTTP/1.1 x\r\nHost: x\r\n\r\n",
            "GET\t/hello HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /hello\tHTTP/1.1\r\nHost: x\r\n\r\n", "GET /hello\r\nHost: x\r\n\r\n",
            "GET /hello HTTP/1\r\nHost: x\r\n\r\n", "GET /hello HTTP/1.10\r\nHost: x\r\n\r\n",
            "GET /hello HTTP/01.1\r\nHost: x\r\n\r\n", "GET /hello http/1.1\r\nHost: x\r\n\r\n",
            "GET /hello HTTP/1.2\r\nHost: x\r\n\r\n", "GET /hello HTTP/0.9\r\nHost: x\r\n\r\n",
            "GET /hello HTTP/3.0\r\nHost: x\r\n\r\n", "GET /hello HTTP/\r\nHost: x\r\n\r\n",
            "GET /hello XTTP/1.1\r\nHost: x\r\n\r\n", "GET /hello\r\n\r\n", "GET\r\n\r\n",
            "get /hello HTTP/1.1\r\nHost: x\r\n\r\n", "Get /hello HTTP/1.1\r\nHost: x\r\n\r\n",
            "GETX /hello HTTP/1.1\r\nHost: x\r\n\r\n", "G\u{0}T /hello HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET hello HTTP/1.1\r\nHost: x\r\n\r\n", "GET hello:80 HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /hel\u{0}lo HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /hel\u{1}lo HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /hel\u{7F}lo HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /hellö HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /hello#a HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET ftp://x/hello HTTP/1.1\r\nHost: x\r\n\r\n",
            "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", "TRACE /hello HTTP/1.1\r\nHost: x\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}",
            "PLS1\u{3}\u{0}\r\n\r\n", "{\"type\":\"hello\"}\r\n\r\n",
            "\u{0}\u{0}\u{0}\u{0}\r\n\r\n",
            "POST /size HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /size HTTP/1.0\r\nHost: x\r\nHost: y\r\nContent-Length: 0\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n",
        ] + moreHeads

    /// Words and numbers that a lenient parser would accept.
    private static let moreHeads: [String] = [
        "TRACK /hello", "PROPFIND /hello", "PURGE /hello", "M-SEARCH *", "BREW /hello",
        " GET /hello",
        "GET /hello/../\u{0}", "GET \\hello", "GET //\u{1}", "GET javascript:1",
        "GET file:///etc/passwd", "GET https:/hello", "GET http:hello",
        "GET /hello\u{B}", "GET /hello\u{C}", "GET /h\u{85}", "OPTIONS hello", "HEAD hello",
        "DELETE ", "PUT x",
    ].map { "\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }

    @Test(arguments: [framing, chunks, heads])
    func `What could be read in two ways is refused`(requests: [String]) async throws {
        try await withServer { _, _, http in
            for request in requests {
                let socket = try RawSocket(http)
                // A second request behind it reveals whether the server guessed its end.
                await socket.send(
                    request + "GET /hello?name=smuggled HTTP/1.1\r\nHost: x\r\n"
                        + "Connection: close\r\n\r\n")
                let answer = try await socket.receiveAll()
                let answers = answer.split(separator: "HTTP/1.1 ").count
                #expect(!answer.contains("smuggled"), "\(request.debugDescription)")
                #expect(answers <= 1, "\(request.debugDescription) \(answer)")
                let status = Int(answer.dropFirst(9).prefix(3)) ?? 0
                #expect((400...599).contains(status), "\(request.debugDescription) \(answer)")
            }
        }
    }

    @Test func `TRACE and CONNECT are known and served nowhere`() async throws {
        try await withServer { _, _, http in
            for line in ["TRACE /hello", "TRACE /nowhere", "TRACE *", "CONNECT x:80"] {
                let socket = try RawSocket(http)
                await socket.send("\(line) HTTP/1.1\r\nHost: x\r\nSecret: s\r\n\r\n")
                let answer = try await socket.receiveAll()
                #expect(answer.hasPrefix("HTTP/1.1 405 "), "\(line): \(answer)")
                #expect(answer.contains("\r\nAllow: GET") && !answer.contains("Secret"))
            }
        }
    }

    @Test func `The table is as long as it was promised to be`() {
        #expect(Self.framing.count + Self.chunks.count + Self.heads.count >= 150)
    }

    /// Unusual requests with only one meaning.
    @Test(arguments: [
        "\r\nGET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET http://x/hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /hello HTTP/1.1\r\nHost:x\r\nConnection:close\r\n\r\n",
        "GET /hello HTTP/1.1\r\nHOST: x\r\nCONNECTION: CLOSE\r\n\r\n",
        "GET /hello HTTP/1.1\r\nHost: x\r\nX:\r\nConnection: close\r\n\r\n",
        "GET /hello HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n",
        "GET /hello HTTP/1.0\r\n\r\n",
        // More than one space, which RFC 9112, 3, lets a server accept.
        "GET  /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /hello  HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /%68ello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /hello? HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ])
    func `What has one meaning is answered`(request: String) async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            await socket.send(request)
            #expect(try await socket.receiveAll().hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }
}
