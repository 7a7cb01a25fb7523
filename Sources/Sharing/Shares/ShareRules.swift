public import SensorModel

/// Why a share cannot be made as asked.
public enum ShareError: Error, Hashable, Sendable {
    case nameTaken(String)
    case nameInvalid(String)
    case groupSize(Int)
    case groupMemberUnknown(ShareKey)
    /// A group of groups, or a member that is revoked or expired.
    case groupMemberUnfit(name: String)
    /// One connection's cursor stands for all runners, so they must be equally late.
    case groupDelaysDiffer
    case delayOutOfRange(seconds: Int)
    case maxViewersOutOfRange(Int)
    case alreadyExpired
    case scopeEmpty
}

extension ShareError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .nameTaken(let name): "there already is a share named \(name)"
        case .nameInvalid(let name):
            "\(name) cannot be a share's name: use 1 to 64 letters, digits, spaces, - _ or ."
        case .groupSize(let count):
            "a group has 2 to \(Limits.groupSharesMax) different shares, not \(count)"
        case .groupMemberUnknown(let key): "there is no share number \(key.rawValue)"
        case .groupMemberUnfit(let name):
            "\(name) cannot be in a group: it is a group itself, or revoked or expired"
        case .groupDelaysDiffer: "the shares of a group must have the same delay"
        case .delayOutOfRange(let seconds):
            "a delay of \(seconds) s is not within 0 s and \(Share.delaySecondsMax / 3600) h"
        case .maxViewersOutOfRange(let count): "\(count) viewers are not within 1 and 1000000"
        case .alreadyExpired: "the share would have expired before it was made"
        case .scopeEmpty: "a share shows at least one of heartRate, metrics, location"
        }
    }
}

extension ShareDirectory {
    /// Whether `share` may be added, or take the place of the one with its key.
    ///
    /// - Throws: ``ShareError`` with the first rule it breaks.
    public func check(_ share: Share, at now: Timestamp) throws(ShareError) {
        guard Self.isName(share.name) else { throw .nameInvalid(share.name) }
        if let other = named(share.name), other.key != share.key { throw .nameTaken(share.name) }
        guard (0...Share.delaySecondsMax).contains(share.delaySeconds) else {
            throw .delayOutOfRange(seconds: share.delaySeconds)
        }
        if let maxViewers = share.maxViewers, !(1...1_000_000).contains(maxViewers) {
            throw .maxViewersOutOfRange(maxViewers)
        }
        if let expiresAt = share.expiresAt, expiresAt <= now { throw .alreadyExpired }
        guard !share.scope.isEmpty else { throw .scopeEmpty }
        if case .group(let members) = share.target { try check(members: members, at: now) }
    }

    private func check(members: [ShareKey], at now: Timestamp) throws(ShareError) {
        guard (2...Limits.groupSharesMax).contains(members.count),
            Set(members).count == members.count
        else { throw .groupSize(members.count) }
        var delays: Set<Int> = []
        for key in members {
            guard let member = self[key] else { throw .groupMemberUnknown(key) }
            guard member.device != nil, member.isActive(at: now) else {
                throw .groupMemberUnfit(name: member.name)
            }
            delays.insert(member.delaySeconds)
        }
        guard delays.count == 1 else { throw .groupDelaysDiffer }
    }

    /// Letters, digits and what needs no quoting in a path, a log line or a page.
    public static func isName(_ name: String) -> Bool {
        guard (1...64).contains(name.count), name.utf8.count <= 256 else { return false }
        guard name.first != " ", name.last != " ", name.first != "-" else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || " -_.".contains($0) }
    }
}
