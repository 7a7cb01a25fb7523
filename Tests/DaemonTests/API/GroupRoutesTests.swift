import Client
import Foundation
import Registry
import Secrets
import SensorModel
import Sharing
import Testing
import Transport

@testable import API
@testable import Daemon
@testable import Runtime

/// Groups that owners of devices make, join and leave by themselves.
@Suite struct GroupRoutesTests {
    private struct Made {
        let name: String
        let link: String
        let invitation: String
    }

    private static func makeGroup(_ running: RunningDaemon, token: String) async throws -> Made {
        let made = try await running.askMe(
            .post, "/groups", #"{"label":"Sunday","runner":"Ann"}"#, token: token)
        #expect(made.status == 201, "\(made.text)")
        let name = try #require(made.object["name"] as? String)
        let url = try #require(made.object["url"] as? String)
        let invited = try await running.askMe(.post, "/groups/\(name)/invite", "{}", token: token)
        #expect(invited.status == 201, "\(invited.text)")
        let invitation = try #require(invited.object["invitation"] as? String)
        let address = try #require(invited.object["url"] as? String)
        #expect(address.hasSuffix("/me#join=\(invitation)"))
        return Made(
            name: name, link: String(try #require(url.split(separator: "/").last)),
            invitation: invitation)
    }

    private static func join(
        _ running: RunningDaemon, _ invitation: String, as runner: String, token: String
    ) async throws -> HTTPClient.Answer {
        try await running.askMe(
            .post, "/groups/join",
            #"{"invitation":"\#(invitation)","runner":"\#(runner)","scope":"heartRate"}"#,
            token: token)
    }

    private static func runners(
        of link: String, _ running: RunningDaemon
    ) async throws -> [String: [String: Any]] {
        let latest = try await running.ask(.get, "/v1/shares/\(link)/latest")
        let rows = latest.object["runners"] as? [[String: Any]] ?? []
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["runner"] as? String ?? "", $0) })
    }

    @Test func `Friends join by an invitation, are seen by the group's viewers, and leave`()
        async throws
    {
        try await RunningDaemon.run { running in
            let ann = try running.addDevice("ann")
            let bob = try running.addDevice("bob")
            let made = try await Self.makeGroup(running, token: ann)
            let viewer = try await running.socket("/v1/shares/\(made.link)/live")
            let joined = try await Self.join(running, made.invitation, as: "Bob", token: bob)
            #expect(joined.status == 201, "\(joined.text)")
            #expect(joined.object["isOwn"] as? Bool == false)
            // Who watches follows those that the group had, and has to come again.
            await #expect(throws: ClientError.closed(code: 1001)) {
                for try await _ in viewer.events {}
            }
            for (token, number, rate) in [(ann, 0, 140), (bob, 1, 150)] {
                try await running.sendHeartRates(
                    [rate, rate], token: token, session: RunningDaemon.session(number))
            }
            let seen = try await Self.runners(of: made.link, running)
            #expect(Set(seen.keys) == ["Ann", "Bob"])
            let again = try await Self.join(running, made.invitation, as: "Bob", token: bob)
            #expect(again.status == 409)
            let cid = try running.addDevice("cid")
            let twin = try await Self.join(running, made.invitation, as: " aNN", token: cid)
            #expect(twin.status == 409 && twin.text.contains("another name"), "\(twin.text)")
            let left = try await running.askMe(.delete, "/groups/\(made.name)", token: bob)
            #expect(left.status == 204)
            #expect(try await Self.runners(of: made.link, running).keys.sorted() == ["Ann"])
            #expect(try await running.askMe(.get, "/groups", token: bob).list.isEmpty)
            // Who left may come back with the same invitation.
            #expect(
                try await Self.join(running, made.invitation, as: "Bob", token: bob).status == 201)
            let ended = try await running.askMe(.delete, "/groups/\(made.name)", token: ann)
            #expect(ended.status == 204)
            #expect(try await running.ask(.get, "/v1/shares/\(made.link)/latest").status == 404)
            #expect(
                try await Self.join(running, made.invitation, as: "Bob", token: bob).status == 404)
            let shares = running.daemon.accounts.shares
            #expect(shares.allSatisfy { $0.revokedAt != nil }, "members' shares end with the group")
        }
    }

    @Test func `A new token of a group's maker ends the invitations, and joins have a limit`()
        async throws
    {
        try await RunningDaemon.run { running in
            let ann = try running.addDevice("ann")
            let bob = try running.addDevice("bob")
            let made = try await Self.makeGroup(running, token: ann)
            var statuses: [Int] = []
            for _ in 0..<15 {
                let joined = try await Self.join(running, made.invitation, as: "Bob", token: bob)
                statuses.append(joined.status)
                _ = try await running.askMe(.delete, "/groups/\(made.name)", token: bob)
            }
            #expect(statuses == Array(repeating: 201, count: 10) + Array(repeating: 429, count: 5))
            _ = try running.daemon.administration.rotateDevice(named: "ann")
            let cid = try running.addDevice("cid")
            #expect(
                try await Self.join(running, made.invitation, as: "Cid", token: cid).status == 404)
        }
    }

    @Test func `A group and its members are there after a restart`() async throws {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var (ann, bob, name) = ("", "", "")
        try await RunningDaemon.again(in: folder) { running in
            ann = try running.addDevice("ann")
            bob = try running.addDevice("bob")
            let made = try await Self.makeGroup(running, token: ann)
            name = made.name
            _ = try await Self.join(running, made.invitation, as: "Bob", token: bob)
        }
        try await RunningDaemon.again(in: folder) { running in
            let group = try #require(
                try await running.askMe(.get, "/groups", token: bob).list.first)
            #expect(group["name"] as? String == name && group["isOwn"] as? Bool == false)
            let members = try #require(group["members"] as? [[String: Any]])
            #expect(members.compactMap { $0["runner"] as? String } == ["Ann", "Bob"])
            #expect(members.compactMap { $0["isOwn"] as? Bool } == [false, true])
            // A group goes with the device of its owner, and leaves no member behind.
            #expect(try await running.admin(.delete, "/devices/ann").status == 200)
            #expect(try await running.askMe(.get, "/groups", token: bob).list.isEmpty)
            let shares = try running.daemon.accounts.registry.shares()
            #expect(shares.allSatisfy { $0.groupOwner == nil })
        }
    }

    @Test func `Only who made a group invites, gives it another link, and takes others out`()
        async throws
    {
        try await RunningDaemon.run { running in
            let ann = try running.addDevice("ann")
            let bob = try running.addDevice("bob")
            let cid = try running.addDevice("cid")
            let made = try await Self.makeGroup(running, token: ann)
            _ = try await Self.join(running, made.invitation, as: "Bob", token: bob)
            let group = try #require(
                try await running.askMe(.get, "/groups", token: ann).list.first)
            let members = try #require(group["members"] as? [[String: Any]])
            let number = try #require(members[1]["number"] as? Int)
            let paths: [(HTTPRequest.Method, String)] = [
                (.post, "/\(made.name)/invite"), (.post, "/\(made.name)/rotate"),
                (.delete, "/\(made.name)/members/\(number)"),
            ]
            for (method, path) in paths {
                #expect(
                    try await running.askMe(method, "/groups" + path, "{}", token: bob).status
                        == 409)
                #expect(
                    try await running.askMe(method, "/groups" + path, "{}", token: cid).status
                        == 404)
            }
            #expect(
                try await running.askMe(.delete, "/groups/\(made.name)", token: cid).status == 404)
            let removed = try await running.askMe(paths[2].0, "/groups" + paths[2].1, token: ann)
            #expect(removed.status == 204)
            #expect(try await running.askMe(.get, "/groups", token: bob).list.isEmpty)
            // Another link ends the invitations.
            #expect(
                try await running.askMe(.post, "/groups/\(made.name)/rotate", token: ann).status
                    == 200
            )
            #expect(
                try await Self.join(running, made.invitation, as: "Cid", token: cid).status == 404)
            #expect(try await running.ask(.get, "/v1/shares/\(made.link)/latest").status == 404)
        }
    }

    @Test func `An invitation is this daemon's, for its time, and for a group that others join`()
        async throws
    {
        try await RunningDaemon.run { running in
            let ann = try running.addDevice("ann")
            let bob = try running.addDevice("bob")
            let made = try await Self.makeGroup(running, token: ann)
            let key = running.daemon.accounts.masterKey
            let invitation = try #require(GroupInvitation(made.invitation, sealedBy: key))
            let past = GroupInvitation(
                group: invitation.group, hash: invitation.hash,
                expiresAt: WallClock.now().advanced(bySeconds: -1))
            // A share of the device, and a group of the daemon's owner, are joined by nobody.
            _ = try running.addShare(of: "ann") { $0.name = "one" }
            _ = try running.addShare(of: "ann") { $0.name = "two" }
            let others = try await running.admin(
                .post, "/shares/group", #"{"shares":["one","two"],"name":"all"}"#)
            #expect(others.status == 201, "\(others.text)")
            let other = try #require(MasterKey(bytes: Array(repeating: 7, count: 32)))
            var texts = [
                past.text(sealedBy: key), invitation.text(sealedBy: other), "x", "",
                String(made.invitation.dropLast()), made.invitation + "A",
                String(repeating: "A", count: 5000),
            ]
            for share in running.daemon.accounts.shares where ["one", "all"].contains(share.name) {
                texts.append(
                    GroupInvitation(
                        group: share.key, hash: share.idHash, expiresAt: invitation.expiresAt
                    ).text(sealedBy: key))
            }
            #expect(texts.count == 9)
            for text in texts {
                let answer = try await Self.join(running, text, as: "Bob", token: bob)
                #expect(answer.status == 404, "\(text.prefix(80)): \(answer.text)")
            }
            for expires in ["0s", "8d", "soon"] {
                let answer = try await running.askMe(
                    .post, "/groups/\(made.name)/invite", #"{"expires":"\#(expires)"}"#,
                    token: ann)
                #expect(answer.status == 400, "\(expires)")
            }
        }
    }

    @Test func `An owner makes few groups, and those that are over do not pile up`() async throws {
        try await RunningDaemon.run { running in
            let ann = try running.addDevice("ann")
            func create() async throws -> HTTPClient.Answer {
                try await running.askMe(.post, "/groups", "{}", token: ann)
            }
            for _ in 0..<Administration.groupsOfDeviceMax {
                #expect(try await create().status == 201)
            }
            #expect(try await create().status == 409)
            let device = try running.daemon.administration.known("ann")
            let accounts = running.daemon.accounts
            for _ in 0..<(3 * Administration.oldGroupsMax) {
                let group = try #require(running.daemon.administration.groups(of: device.id).first)
                try running.daemon.administration.leave(group, by: device)
                _ = try running.daemon.administration.createGroup(
                    ShareRequest(), runner: "ann", by: device)
            }
            let kept = accounts.withState { $0.shares.groups(madeBy: device.id) }.count
            #expect(
                kept <= Administration.groupsOfDeviceMax + Administration.oldGroupsMax + 1)
            #expect(try accounts.registry.shares().count { $0.groupOwner != nil } == kept)
        }
    }

    @Test func `A device has one code out, which opens its link once`() async throws {
        try await RunningDaemon.run { running in
            let ann = try running.addDevice("ann")
            let bob = try running.addDevice("bob")
            for name in ["one", "two"] { _ = try running.addShare(of: "ann") { $0.name = name } }
            func code(_ share: String, token: String) async throws -> HTTPClient.Answer {
                try await running.ask(
                    .post, "/v1/me/shares/\(share)/code", token: token,
                    fields: ["Content-Type": "application/json"], body: "{}")
            }
            func redeem(_ answer: HTTPClient.Answer) async throws -> Int {
                let text = try #require(answer.object["code"] as? String)
                return try await running.ask(
                    .post, "/c", fields: ["Content-Type": "application/json"],
                    body: #"{"code":"\#(text)"}"#
                ).status
            }
            #expect(try await code("one", token: bob).status == 404)
            let first = try await code("one", token: ann)
            let second = try await code("two", token: ann)
            #expect(first.status == 201 && second.status == 201)
            #expect(try await redeem(first) == 404)
            #expect(try await redeem(second) == 200)
            #expect(try await redeem(second) == 404)
            let rotated = try await running.ask(.post, "/v1/me/shares/one/rotate", token: ann)
            #expect(rotated.status == 200)
            #expect(
                try await running.ask(.post, "/v1/me/shares/one/rotate", token: bob).status == 404)
        }
    }
}
