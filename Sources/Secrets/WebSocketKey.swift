import Crypto
import Foundation

/// A client's key in the handshake of a WebSocket (RFC 6455, section 4.2.2).
///
/// No secret: its answer shows that the server speaks the protocol.
public enum WebSocketKey {
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// - Parameter key: Value of `Sec-WebSocket-Key`.
    /// - Returns: Value of `Sec-WebSocket-Accept`.
    public static func answer(to key: String) -> String {
        var hash = Insecure.SHA1()
        hash.update(data: Array((key + suffix).utf8))
        return Data(hash.finalize()).base64EncodedString()
    }
}
