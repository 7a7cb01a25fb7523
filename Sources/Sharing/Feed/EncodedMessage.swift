public import SensorModel

/// One message, encoded once for all its viewers, in each form that one of them uses. Belongs to
/// one loop.
public final class EncodedMessage {
    /// The JSON object without framing.
    public let json: [UInt8]
    public let cursor: LogCursor

    /// An unmasked text frame, header and payload in one array.
    public private(set) lazy var webSocketFrame: [UInt8] = Self.webSocketFrame(of: json)
    /// `id:` and `data:` lines with the empty line after them.
    public private(set) lazy var serverSentEvent: [UInt8] = Self.serverSentEvent(
        of: json, cursor: cursor)

    public init(json: [UInt8], cursor: LogCursor) {
        self.json = json
        self.cursor = cursor
    }

    private static func webSocketFrame(of json: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(json.count + 10)
        frame.append(0x81)  // final fragment, text
        if json.count < 126 {
            frame.append(UInt8(json.count))
        } else {
            let wide = json.count > Int(UInt16.max)
            frame.append(wide ? 127 : 126)
            for shift in stride(from: wide ? 56 : 8, through: 0, by: -8) {
                frame.append(UInt8(truncatingIfNeeded: json.count >> shift))
            }
        }
        frame.append(contentsOf: json)
        return frame
    }

    private static func serverSentEvent(of json: [UInt8], cursor: LogCursor) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(json.count + 48)
        text.append(contentsOf: "id: \(cursor)\ndata: ".utf8)
        text.append(contentsOf: json)
        text.append(contentsOf: "\n\n".utf8)
        return text
    }
}
