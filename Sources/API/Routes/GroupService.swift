import Bytes
import Registry
package import Runtime
import Secrets
import SensorModel
import Sharing
import Transport

/// Groups of a device's owner: made by one, joined and left by others, without the daemon's owner.
package struct GroupService: Sendable {
    private static let invitationSecondsMax = 7 * 86_400.0

    let administration: Administration
    /// Prefix of links.
    let publicURL: @Sendable () -> String

    package init(
        administration: Administration, publicURL: @escaping @Sendable () -> String
    ) {
        self.administration = administration
        self.publicURL = publicURL
    }

    private var accounts: Accounts { administration.accounts }

    func list(_ device: Device) -> HTTPResponse {
        JSONBody.response(administration.groups(of: device.id).map { row($0, for: device) })
    }

    func create(_ request: HTTPRequest, by device: Device) throws -> HTTPResponse {
        let body = try JSONBody.decode(NewGroup.self, of: request)
        var wish = try Self.wish(body.scope)
        wish.label = body.label
        wish.expiresInSeconds = try body.expires.map { try Self.seconds($0) }
        let made = try administration.createGroup(
            wish, runner: body.runner ?? device.name, by: device)
        return JSONBody.response(row(made.share, for: device), status: 201)
    }

    /// Anybody with the invitation may join, until it is over or the group gets another link.
    func invite(_ request: HTTPRequest, by device: Device) throws -> HTTPResponse {
        let body = try JSONBody.decode(InvitationBody.self, of: request)
        let group = try ownGroup(request, of: device)
        let seconds = try Self.seconds(body.expires ?? "24h")
        guard (1...Self.invitationSecondsMax).contains(seconds) else {
            throw APIRefusal.badField(name: "expires", allowed: "1s to 7d")
        }
        let end = administration.clock().advanced(bySeconds: seconds)
        guard let hash = administration.invitationHash(of: group) else {
            throw ShareError.invitationOver
        }
        let text = GroupInvitation(group: group.key, hash: hash, expiresAt: end)
            .text(sealedBy: accounts.masterKey)
        return JSONBody.response(
            Invitation(
                invitation: text, url: "\(publicURL())/me#join=\(text)",
                expiresAt: end.secondsSince1970), status: 201)
    }

    func join(_ request: HTTPRequest, by device: Device) throws -> HTTPResponse {
        let body = try JSONBody.decode(JoinBody.self, of: request)
        guard let invitation = GroupInvitation(body.invitation, sealedBy: accounts.masterKey)
        else { throw ShareError.invitationOver }
        var wish = try Self.wish(body.scope)
        wish.label = body.runner ?? device.name
        let group = try administration.join(invitation, wish, by: device)
        return JSONBody.response(row(group, for: device), status: 201)
    }

    /// Gives the group another link; invitations are over.
    func rotate(_ request: HTTPRequest, by device: Device) throws -> HTTPResponse {
        let made = try administration.rotateShare(try ownGroup(request, of: device))
        return JSONBody.response(row(made.share, for: device))
    }

    func leave(_ request: HTTPRequest, by device: Device) throws -> HTTPResponse {
        try administration.leave(try group(request, of: device), by: device)
        return HTTPResponse(status: 204)
    }

    func removeMember(_ request: HTTPRequest, by device: Device) throws -> HTTPResponse {
        let group = try ownGroup(request, of: device)
        let number = request.parameters["number"].flatMap { UInt32($0) }
        let members = administration.members(of: group)
        guard let member = members.first(where: { Self.number(of: $0, in: group) == number })
        else {
            throw APIRefusal.notFound("the group has no such member")
        }
        try administration.revokeShare(member)
        return HTTPResponse(status: 204)
    }

    // MARK: Look-ups

    /// A group of others gets the same answer as an unknown one.
    private func group(_ request: HTTPRequest, of device: Device) throws -> Share {
        let name = request.parameters["group"]?.lowercased() ?? ""
        let groups = administration.groups(of: device.id)
        guard let group = groups.first(where: { $0.name == name }) else {
            throw APIRefusal.notFound("there is no such group")
        }
        return group
    }

    private func ownGroup(_ request: HTTPRequest, of device: Device) throws -> Share {
        let group = try group(request, of: device)
        guard group.groupOwner == device.id else {
            throw APIRefusal.conflict("only who made the group can do that")
        }
        return group
    }

    private func row(_ group: Share, for device: Device) -> Row {
        let members = administration.members(of: group).map { share in
            Member(
                number: Self.number(of: share, in: group), runner: share.runnerName,
                isOwn: share.device == device.id, scope: share.scope.partNames)
        }
        let id = accounts.secretID(of: group.key)
        return Row(
            name: group.name, label: NullableField(group.label),
            isOwn: group.groupOwner == device.id,
            url: NullableField(id.map { group.url(at: publicURL(), id: $0) }),
            expiresAt: NullableField(group.expiresAt?.secondsSince1970), members: members)
    }

    /// A member's number in its group. The share's own would tell how many shares there are.
    private static func number(of share: Share, in group: Share) -> UInt32 {
        let text = "\(Hexadecimal.text(of: group.idHash.bytes)) \(share.key.rawValue)"
        return UInt32(truncatingIfNeeded: MessageCode.identifier(of: text).low) >> 1
    }

    private static func wish(_ scope: ShareBody.ScopeNames?) throws(APIRefusal) -> ShareRequest {
        var wish = ShareRequest()
        if let scope { wish.scope = try scope.scope() }
        return wish
    }

    private static func seconds(_ text: String) throws(APIRefusal) -> Double {
        try ShareBody.seconds(text, of: "expires")
    }
}
