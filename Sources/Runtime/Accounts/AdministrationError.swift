package import SensorModel

/// Reason for which a request of the daemon's owner cannot be granted.
package enum AdministrationError: Error, Hashable, Sendable {
    case deviceName(String)
    case unknownSession(SessionID)
    case tooManyDeletions(retryAfterSeconds: Int)
    case badField(name: String, allowed: String)
    /// The device's owner changes settings or shares too often.
    case tooManyChanges(retryAfterSeconds: Int)
    /// Too many requests of the device wait or run, or their bodies are too long together.
    case tooManyRequests(retryAfterSeconds: Int)
    case tooManyCodes
    case tooManyPlaybacks
    case tooManyCourses
    /// The device was revoked, got a new token, or was deleted while the request was on its way.
    case changedMeanwhile(String)
    /// The device or share is refused from now on; a restart before a note is on disk would undo
    /// that.
    case revokedInMemory(DiskTrouble)
    /// The device or share is refused from now on by this node of a cluster; another that takes over may
    /// not know it.
    case revokedOnThisNode
}

extension AdministrationError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .deviceName(let name):
            "\(name) cannot be a device's name: use 1 to 64 letters, digits, spaces, - _ or ."
        case .unknownSession(let session):
            "there is no session \(session): see pulsecast session list"
        case .tooManyDeletions(let seconds):
            "too many sessions are deleted: try again in \(seconds) s"
        case .badField(let name, let allowed):
            "\(name) has a value that is not allowed: allowed is \(allowed)"
        case .tooManyChanges(let seconds):
            "too many changes of this device at once: nothing was changed, try again in "
                + "\(seconds) s"
        case .tooManyRequests(let seconds):
            "too many requests of this device at once: nothing was done, try again in "
                + "\(seconds) s"
        case .tooManyCodes: "too many short codes are out: wait until some have expired"
        case .tooManyCourses: "the courses of all devices take too much memory: remove one"
        case .changedMeanwhile(let name):
            "\(name) was revoked or got a new token meanwhile: nothing was changed"
        case .tooManyPlaybacks:
            "too many recordings are played to shares: end one, or wait until one is over"
        case .revokedOnThisNode:
            "revoked, and refused from now on by this node; but the other nodes of the cluster may"
                + " not know it yet: repeat it in some seconds"
        case .revokedInMemory(let trouble):
            "revoked, and refused from now on; but the disk takes no note of it, so a restart"
                + " before it does would make it valid again: \(trouble); \(trouble.advice)"
        }
    }
}
