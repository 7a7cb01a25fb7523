import Secrets
package import Transport

/// Responses that pages of any origin may read: the address alone gives access.
extension HTTPResponse {
    /// Allows pages of other origins to read the response. Refusals stay the same for all origins.
    package func open() -> HTTPResponse {
        guard status < 400 || status == 412 else { return self }
        var opened = self
        opened.fields["Access-Control-Allow-Origin"] = "*"
        if fields["ETag"] != nil { opened.fields["Access-Control-Expose-Headers"] = "ETag" }
        return opened
    }

    /// Answers a browser's CORS preflight.
    static func preflight(methods: String = "GET", headers: String) -> HTTPResponse {
        HTTPResponse(
            status: 204,
            fields: [
                "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": methods,
                "Access-Control-Allow-Headers": headers, "Access-Control-Max-Age": "86400",
            ])
    }

    /// Adds an `ETag`, and drops the body if the reader already has it.
    func tagged(for request: HTTPRequest) -> HTTPResponse {
        guard status == 200, case .bytes(let bytes) = body else { return self }
        let hash = MessageCode.identifier(of: String(decoding: bytes, as: UTF8.self))
        let tag = "\"" + String(hash.high, radix: 16) + "\""
        var tagged = self
        tagged.fields["ETag"] = tag
        // Bytes, because splitting a field of 15 KB into characters took a millisecond.
        let known = request.fields.values("if-none-match").joined(separator: ",").utf8
            .split(separator: UInt8(ascii: ",")).map { $0.drop { " W/".utf8.contains($0) } }
        guard known.contains(where: { $0.starts(with: tag.utf8) || $0.starts(with: "*".utf8) })
        else { return tagged }
        tagged.status = 304
        tagged.body = .bytes([])
        tagged.fields["Content-Type"] = nil
        return tagged
    }
}
