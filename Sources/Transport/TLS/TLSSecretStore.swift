import NIOCore
import Synchronization

/// Traffic secrets of connections during their handshake, by the client's random number.
///
/// The library reports secrets as lines of a key log, on the thread that has just passed it the
/// client's record. That connection's ``TLSRecordGate`` takes them at once.
final class TLSSecretStore: Sendable {
    /// Application traffic secrets of both directions.
    struct Secrets {
        var ofClient: [UInt8] = []
        var ofServer: [UInt8] = []
    }

    private let waiting = Mutex<[[UInt8]: Secrets]>([:])
    /// More than event loops: each has at most one connection between the two calls.
    private static let waitingMax = 64

    /// - Parameter line: `LABEL CLIENT-RANDOM SECRET` and a line feed, the last two in hexadecimal
    ///   digits.
    func note(_ line: ByteBuffer) {
        let parts = line.readableBytesView.split { $0 == UInt8(ascii: " ") || $0 == 10 }
        guard parts.count == 3 else { return }
        let isClients = parts[0].elementsEqual("CLIENT_TRAFFIC_SECRET_0".utf8)
        guard isClients || parts[0].elementsEqual("SERVER_TRAFFIC_SECRET_0".utf8),
            let random = Self.bytes(parts[1]), let secret = Self.bytes(parts[2])
        else { return }
        waiting.withLock { waiting in
            if waiting.count >= Self.waitingMax { waiting.removeAll() }
            if isClients {
                waiting[random, default: Secrets()].ofClient = secret
            } else {
                waiting[random, default: Secrets()].ofServer = secret
            }
        }
    }

    /// - Returns: The secrets, which are removed; `nil` if the library has reported none.
    func take(_ random: [UInt8]) -> Secrets? {
        waiting.withLock { $0.removeValue(forKey: random) }
    }

    private static func bytes(_ digits: ByteBufferView) -> [UInt8]? {
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = value(of: digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
