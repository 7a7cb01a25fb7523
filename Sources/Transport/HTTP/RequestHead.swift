import NIOHTTP1
import SensorModel

/// A parsed request head after validation.
///
/// The parser refuses malformed bytes (bare line feeds, folded lines, spaces before a colon, both
/// ways of framing at once, repeated or odd lengths). This type checks what the parser accepts.
struct RequestHead: Sendable {
    let method: HTTPRequest.Method
    /// The path with its leading slash, without the query.
    let path: String
    let query: String
    let fields: HTTPFields
    let keepsAlive: Bool
    let expectsContinue: Bool
    let contentLength: Int?

    private static let targetBytesMax = 8 * 1024
    private static let fieldsMax = 100

    init(_ head: HTTPRequestHead, limits: ConnectionLimits) throws(HTTPRefusal) {
        guard head.version == .http1_1 || head.version == .http1_0 else { throw .versionUnknown }
        guard let method = HTTPRequest.Method(rawValue: head.method.rawValue) else {
            throw [.TRACE, .CONNECT].contains(head.method) ? .methodForbidden : .methodUnknown
        }
        guard head.uri.utf8.count <= Self.targetBytesMax else { throw .targetTooLong }
        let size = head.headers.reduce(head.uri.utf8.count + 16) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 4
        }
        guard size <= limits.headerBytesMax, head.headers.count <= Self.fieldsMax else {
            throw .headersTooLarge
        }
        self.method = method
        fields = HTTPFields(head.headers.map { .init(name: $0.name, value: $0.value) })
        let isHTTP10 = head.version == .http1_0
        try Self.checkHost(fields, isHTTP10: isHTTP10)
        contentLength = try Self.contentLength(fields, isHTTP10: isHTTP10, limits: limits)
        (path, query) = try Self.split(head.uri)
        // The parser accepts no request after one that requests another protocol.
        keepsAlive = head.isKeepAlive && fields["upgrade"] == nil
        expectsContinue = try Self.expectsContinue(fields, isHTTP10: isHTTP10)
    }

    private static func checkHost(_ fields: HTTPFields, isHTTP10: Bool) throws(HTTPRefusal) {
        let hosts = fields.values("host")
        guard hosts.count <= 1 else { throw .hostRepeated }
        guard let host = hosts.first else {
            if isHTTP10 { return }
            throw .hostMissing
        }
        let allowed = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"),
                UInt8(ascii: "%"), UInt8(ascii: "~"):
                true
            default: false
            }
        }
        guard allowed else { throw .malformed }
    }

    private static func contentLength(
        _ fields: HTTPFields, isHTTP10: Bool, limits: ConnectionLimits
    ) throws(HTTPRefusal) -> Int? {
        let codings = fields.values("transfer-encoding")
        let lengths = fields.values("content-length")
        guard lengths.count + min(codings.count, 1) <= 1 else { throw .malformed }
        if !codings.isEmpty {
            // A proxy that speaks 1.0 does not know chunks and would read another body.
            guard !isHTTP10, codings.count == 1 else { throw .malformed }
            guard HTTPFields.same(codings[0], "chunked") else { throw .codingUnknown }
            return nil
        }
        guard let text = lengths.first else { return 0 }
        let isDecimal = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isDecimal else { throw .malformed }
        guard let length = Int(text), length <= limits.bodyBytesMax else { throw .bodyTooLarge }
        return length
    }

    /// Splits a target in origin form, or in absolute form whose authority agrees with `Host`.
    private static func split(_ target: String) throws(HTTPRefusal) -> (String, String) {
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw .malformed
        }
        var rest = Substring(target)
        for scheme in ["http://", "https://"] where rest.hasPrefix(scheme) {
            rest = rest.dropFirst(scheme.count)
            rest = rest.firstIndex { $0 == "/" || $0 == "?" }.map { rest[$0...] } ?? "/"
            if rest.first == "?" { rest = "/" + rest }
        }
        guard rest.first == "/" || rest == "*" else { throw .malformed }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }

    private static func expectsContinue(
        _ fields: HTTPFields, isHTTP10: Bool
    ) throws(HTTPRefusal) -> Bool {
        guard let expectation = fields["expect"], !isHTTP10 else { return false }
        guard HTTPFields.same(expectation, "100-continue") else { throw .expectationUnknown }
        return true
    }

    /// Whether the client requests an upgrade to WebSocket.
    var wantsWebSocket: Bool {
        Self.list(fields.values("upgrade")).contains { HTTPFields.same($0, "websocket") }
            && Self.list(fields.values("connection")).contains { HTTPFields.same($0, "upgrade") }
    }

    /// Whether there is exactly one key, of 16 bytes in base64.
    var hasWebSocketKey: Bool {
        let keys = fields.values("sec-websocket-key")
        guard keys.count == 1, keys[0].utf8.count == 24, keys[0].hasSuffix("==") else {
            return false
        }
        return keys[0].utf8.dropLast(2).allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
    }

    /// Elements of comma-separated fields.
    static func list(_ values: [String]) -> [String] {
        values.flatMap { value in
            value.split(separator: ",").map { part in
                var part = part
                while part.first == " " || part.first == "\t" { part.removeFirst() }
                while part.last == " " || part.last == "\t" { part.removeLast() }
                return String(part)
            }
        }
    }
}
