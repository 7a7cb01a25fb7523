import Bytes
public import SensorModel

/// The reason why a share cannot be made.
public enum ShareError: Error, Hashable, Sendable {
    case nameTaken(String)
    case publicNameInvalid(String)
    case publicNameTaken(PublicName)
    /// The device has one already.
    case publicNameSecond(PublicName)
    case publicNameOfGroup
    case nameInvalid(String)
    /// Shares of several devices have this name.
    case nameAmbiguous(String, of: [String])
    /// Too many active shares of one device.
    case tooManyOfDevice(max: Int)
    case groupSize(Int)
    case groupMemberUnknown(ShareKey)
    /// The member is a group, revoked or expired.
    case groupMemberUnfit(name: String)
    /// One cursor of a connection covers all runners, so their delays must be equal.
    case groupDelaysDiffer
    /// The device's owner has made too many groups that are not over.
    case tooManyGroups(max: Int)
    /// The device is in the group already.
    case isMember
    /// A member of the group has such a name.
    case runnerTaken(String)
    /// The invitation is over, or for a link that the group does not have any more.
    case invitationOver
    case delayOutOfRange(seconds: Int)
    case maxViewersOutOfRange(Int)
    case alreadyExpired
    case scopeEmpty
    /// A new link was requested for a share that is revoked or expired.
    case isOver(name: String)
}

extension ShareError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .nameTaken(let name): "there already is a share named \(name)"
        case .nameInvalid(let name):
            "\"\(CleanText.clean(name, charactersMax: 64))\" cannot be a share's name: use 1 to 64"
                + " letters, digits, spaces, - _ or ."
        case .publicNameInvalid(let name):
            "\"\(CleanText.clean(name, charactersMax: 64))\" cannot be a public name: use 3 to 32"
                + " of a-z, 0-9, - and _"
        case .publicNameTaken(let name): "somebody else is found as \(name.marked) already"
        case .publicNameSecond(let name):
            "this runner is found as \(name.marked) already: revoke that share first"
        case .publicNameOfGroup: "a group has no public name: give one to each runner"
        case .tooManyOfDevice(let max):
            "a runner has at most \(max) shares at once: revoke one, or raise"
                + " limits.shares_per_device"
        case .nameAmbiguous(let name, let devices):
            "\(devices.joined(separator: " and ")) have a share named \(name): say which, as"
                + " \(devices.first ?? ""):\(name)"
        case .groupSize(let count):
            "a group has 2 to \(Limits.groupSharesMax) different shares, not \(count)"
        case .groupMemberUnknown(let key): "there is no share number \(key.rawValue)"
        case .groupMemberUnfit(let name):
            "\(name) cannot be in a group: it is a group itself, or revoked or expired"
        case .groupDelaysDiffer: "the shares of a group must have the same delay"
        case .tooManyGroups(let max):
            "a runner makes at most \(max) groups at once: end one"
        case .isMember: "this runner is in the group already"
        case .runnerTaken(let name):
            "somebody in the group is called like \(CleanText.clean(name, charactersMax: 64)):"
                + " choose another name"
        case .invitationOver:
            "the invitation is over or not valid: ask for a new one"
        case .delayOutOfRange(let seconds):
            "a delay of \(seconds) s is not within 0 s and \(Share.delaySecondsMax / 3600) h"
        case .maxViewersOutOfRange(let count):
            "at most \(count) viewers is not within 1 and 1000000: leave it out for no bound"
        case .alreadyExpired:
            "a share cannot end before it is made: say how long it is good for, as 24h"
        case .scopeEmpty: "a share shows at least one of heartRate, metrics, location"
        case .isOver(let name):
            "the share \(name) is revoked or has expired, and a new link would show nothing: make"
                + " a new share with pulsecast share create"
        }
    }
}
