import Registry
import SensorModel
import Sharing
import Transport

/// Tells by its token whose request it is: of a runner's app, or of the runner.
struct OwnerDoor: Sendable {
    let accounts: Accounts
    let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - token: As it was sent; `nil`: none, which is no guess and not counted as one.
    ///   - peer: Whose failures are counted.
    /// - Returns: A device that may send.
    func device(token: String?, peer: PeerAddress) -> Result<Device, TokenRefusal> {
        guard let token else { return .failure(.wrong) }
        if let device = accounts.device(withToken: token) { return .success(device) }
        let now = clock()
        return accounts.withState { state in
            switch state.failures.failed(peer.key, at: now) {
            case .refuse: .failure(.wrong)
            case .slowDown(let seconds): .failure(.tooMany(retryAfterSeconds: seconds))
            }
        }
    }

    func device(of request: HTTPRequest) -> Result<Device, TokenRefusal> {
        device(token: request.bearerToken, peer: request.peer)
    }
}

/// Why a token opens nothing.
enum TokenRefusal: Error, Hashable, Sendable {
    /// None, unknown or revoked.
    case wrong
    case tooMany(retryAfterSeconds: Int)

    var response: HTTPResponse {
        switch self {
        case .wrong: APIRefusal.unauthorized.response
        case .tooMany(let seconds): ShareRefusal.tooMany(retryAfterSeconds: seconds).response
        }
    }
}
