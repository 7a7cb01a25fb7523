import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// Why a client cannot continue.
public enum ClientError: Error, Hashable, Sendable {
    case badAddress(String)
    case cannotConnect(address: String, reason: String)
    /// The server presents a certificate that this client does not trust; without advice the client
    /// may be told to trust it.
    case notTrusted(reason: String, advice: String = "")
    /// The TLS handshake failed for another reason.
    case noTLS(reason: String)
    /// The server speaks TLS, which the client was not told to.
    case speaksTLS(instead: String)
    /// The server accepted the connection and said nothing within this time.
    case silent(seconds: Int)
    /// The server answered an upgrade with this status.
    case upgradeRefused(status: Int)
    case connectionLost
    /// The server closed a WebSocket with this code.
    case closed(code: UInt16)
    case answerTooLarge(bytesMax: Int)
    /// The server speaks another protocol, or none.
    case notAnAnswer
    /// More than `max` messages of the server wait unread.
    case tooManyAnswers(max: Int)

    /// Whether another attempt can succeed without a change on either side.
    public var mayPass: Bool {
        switch self {
        case .cannotConnect, .connectionLost, .closed, .silent: true
        case .badAddress, .notTrusted, .noTLS, .speaksTLS, .upgradeRefused, .answerTooLarge,
            .notAnAnswer, .tooManyAnswers:
            false
        }
    }

    /// Distinguishes errors of TLS from a lost connection.
    init(_ error: any Error) {
        switch error {
        case let error as ClientError: self = error
        case NIOSSLError.handshakeFailed(let inner): self = Self.handshake("\(inner)")
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self = .notTrusted(reason: "it is for another name")
        default: self = .connectionLost
        }
    }

    /// - Parameter text: The TLS library's description, with its names of reasons.
    /// - Returns: The error in words.
    private static func handshake(_ text: String) -> ClientError {
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return .notTrusted(reason: "no authority that is trusted here vouches for it")
        }
        if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
            return .noTLS(reason: "the server speaks no TLS on this port")
        }
        if text.contains("EOF during handshake") {
            return .noTLS(reason: "the server closed the connection, as one without TLS may")
        }
        return .noTLS(reason: text)
    }

    /// The reason of a failed connection attempt, in words.
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            return error.connectionErrors.first.map { reason($0.error) } ?? "no such host"
        case ChannelError.connectTimeout: return "no answer"
        case let error as IOError:
            switch error.errnoCode {
            case ECONNREFUSED: return "nothing listens there"
            case ENOENT: return "there is no such socket"
            case EACCES, EPERM: return "not permitted"
            case EHOSTUNREACH, ENETUNREACH: return "there is no route to it"
            case ETIMEDOUT: return "no answer"
            case ECONNRESET: return "the connection was reset"
            default: return "error \(error.errnoCode)"
            }
        default: return "\(error)"
        }
    }
}

extension ClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .badAddress(let text): "\(text) is not an address of the expected form"
        case .cannotConnect(let address, let reason): "cannot connect to \(address): \(reason)"
        case .notTrusted(let reason, let advice):
            "the server's certificate is not trusted (\(reason)): "
                + (advice.isEmpty
                    ? "name the file of its certificate or authority with --ca" : advice)
        case .noTLS(let reason): "the TLS handshake failed: \(reason)"
        case .speaksTLS(let instead): "this port speaks TLS: use \(instead)"
        case .silent(let seconds):
            "the server accepts the connection and says nothing for \(seconds) s: check that a"
                + " Pulsecast daemon listens there"
        case .upgradeRefused(let status): "the server refused with HTTP status \(status)"
        case .connectionLost: "the connection was lost"
        case .closed(let code): "the server closed the connection with code \(code)"
        case .answerTooLarge(let bytesMax): "the answer is longer than \(bytesMax) bytes"
        case .notAnAnswer: "what answers there is no Pulsecast daemon: check address and port"
        case .tooManyAnswers(let max):
            "\(max) messages of the server wait unread: check that it is a Pulsecast daemon"
        }
    }
}
