import Bytes

extension HTTPResponse {
    /// Marking of a body's end on the wire.
    enum Framing: Hashable, Sendable {
        case length(Int)
        case chunked
        /// The end of the connection ends the body.
        case close
    }

    /// The status line and the fields, up to the empty line.
    ///
    /// - Parameters:
    ///   - framing: How the body's end is marked; `nil` for a status without a body.
    ///   - keepsAlive: Whether another request may follow.
    ///   - date: In HTTP's format.
    ///   - defaults: Fields that apply if the response does not set them.
    /// - Returns: The bytes to write before the body.
    func encodeHead(
        framing: Framing?, keepsAlive: Bool, date: String, defaults: HTTPFields
    ) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.phrase(status))\r\nDate: \(date)\r\n"
        for field in fields.fields where Self.isSound(field) {
            text += "\(field.name): \(field.value)\r\n"
        }
        for field in defaults.fields where fields[field.name] == nil && Self.isSound(field) {
            text += "\(field.name): \(field.value)\r\n"
        }
        switch framing {
        case .length(let bytes): text += "Content-Length: \(bytes)\r\n"
        case .chunked: text += "Transfer-Encoding: chunked\r\n"
        case .close, nil: break
        }
        if status != 101, !keepsAlive { text += "Connection: close\r\n" }
        text += "\r\n"
        return Array(text.utf8)
    }

    /// Whether a field may be sent: framing is the server's own, and no value may begin another
    /// line.
    private static func isSound(_ field: HTTPFields.Field) -> Bool {
        let own = ["content-length", "transfer-encoding", "date"]
        return !field.name.isEmpty && !own.contains { HTTPFields.same($0, field.name) }
            && field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && field.value.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x09 }
    }

    static func phrase(_ status: Int) -> String {
        phrases[status] ?? (status < 400 ? "OK" : "Error")
    }

    private static let phrases: [Int: String] = [
        101: "Switching Protocols", 200: "OK", 201: "Created", 202: "Accepted",
        204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found",
        303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
        308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict",
        410: "Gone", 411: "Length Required", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 417: "Expectation Failed", 422: "Unprocessable Content",
        426: "Upgrade Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 499: "Client Error",
        500: "Internal Server Error", 501: "Not Implemented", 503: "Service Unavailable",
        505: "HTTP Version Not Supported",
    ]
}

/// Text of the `Date` field.
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Formats a time as `Sun, 06 Nov 1994 08:49:37 GMT`; not for times before 1970.
    static func text(_ secondsSince1970: Int64) -> String {
        let day = secondsSince1970 / 86_400
        let second = Int(secondsSince1970 % 86_400)
        let date = CivilDate(daysSince1970: day)
        return "\(days[Int(day % 7)]), \(two(Int(date.day))) \(months[Int(date.month) - 1]) "
            + "\(date.year) \(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
    }

    private static func two(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
