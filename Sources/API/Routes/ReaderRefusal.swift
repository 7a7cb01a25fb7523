import Sharing
import Transport

/// A refusal in the format of the reader interface.
enum ReaderRefusal: Error, Hashable, Sendable {
    case pulsoid(Pulsoid.Refusal)
    case tooMany(retryAfterSeconds: Int)

    init(_ refusal: ViewerRefusal) {
        switch refusal {
        case .unknown: self = .pulsoid(.tokenNotFound)
        case .tooMany(let seconds): self = .tooMany(retryAfterSeconds: seconds)
        }
    }

    var response: HTTPResponse {
        switch self {
        case .pulsoid(let refusal): .json(refusal.body, status: refusal.status)
        case .tooMany(let seconds): ShareRefusal.tooMany(retryAfterSeconds: seconds).response
        }
    }
}
