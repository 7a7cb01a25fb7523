import Registry
import Runtime
import SensorModel
import Sharing
package import Transport

/// Finds the device of a request by its token, from a runner's app or from the runner.
struct OwnerAuthenticator: Sendable {
    let accounts: Accounts
    let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - token: Token as sent; `nil`: none, which does not count as a guess.
    ///   - peer: Address whose failures are counted.
    /// - Returns: A device that may send.
    func device(token: String?, peer: PeerAddress) -> Result<Device, TokenRefusal> {
        guard let token else { return .failure(.wrong) }
        if let device = accounts.device(withToken: token) { return .success(device) }
        return .failure(accounts.refuseGuess(of: peer, at: clock()))
    }

    func device(of request: HTTPRequest) -> Result<Device, TokenRefusal> {
        device(token: request.bearerToken, peer: request.peer)
    }
}

extension Accounts {
    /// Counts a wrong token as a failed guess of its sender.
    func refuseGuess(of peer: PeerAddress, at now: Timestamp) -> TokenRefusal {
        switch withState({ $0.failures.failed(peer.key, at: now) }) {
        case .refuse: .wrong
        case .slowDown(let seconds): .tooMany(retryAfterSeconds: seconds)
        }
    }
}

/// Reason for which a token is refused.
package enum TokenRefusal: Error, Hashable, Sendable {
    /// Missing, unknown or revoked.
    case wrong
    case tooMany(retryAfterSeconds: Int)

    package var response: HTTPResponse {
        switch self {
        case .wrong: APIRefusal.unauthorized.response
        case .tooMany(let seconds): ShareRefusal.tooMany(retryAfterSeconds: seconds).response
        }
    }
}
