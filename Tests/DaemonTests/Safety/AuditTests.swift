import Client
import Foundation
import Registry
import SensorModel
import Sharing
import Testing
import Transport

@testable import Daemon
@testable import Runtime

@Suite(.serialized) struct AuditTests {
    @Test func `A visit is one entry, told to the owner without an address`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let stranger = try running.addDevice("bob")
            let id = try running.addShare(of: "ann") { $0.name = "link" }
            for _ in 0..<5 {
                #expect(try await running.ask(.get, "/v1/shares/\(id)/latest").status == 200)
            }
            let viewer = try await running.socket("/v1/shares/\(id)/live")
            var events = viewer.events.makeAsyncIterator()
            #expect(try await events.next()?.contains("snapshot") == true)
            _ = try await running.ask(.post, "/v1/shares/\(id)/cheer", body: #"{"text":"go"}"#)
            #expect(try await running.admin(.post, "/shares/link/reveal").status == 200)

            let opens = try await running.admin(.get, "/shares/link/opens").list
            #expect(
                opens.compactMap { $0["event"] as? String }
                    == ["revealed", "cheered", "opened", "created"])
            let visitors = opens.compactMap { $0["visitor"] as? String }
            #expect(visitors[0] == "owner" && visitors[3] == "owner")
            #expect(visitors[1] == visitors[2])
            #expect(visitors[1].count == 16 && visitors[1].allSatisfy(\.isHexDigit))

            let own = try await running.ask(.get, "/v1/me/shares/link/opens", token: token)
            #expect(own.list.count == 4)
            let others = try await running.ask(.get, "/v1/me/shares/link/opens", token: stranger)
            #expect(others.status == 404)
            let row = try #require(try await running.admin(.get, "/shares").list.first)
            #expect(row["viewers"] as? Int == 1 && row["viewersEver"] as? Int == 1)
            await viewer.close()
        }
    }

    @Test func `No address is in the state folder, and what is noted outlives a restart`()
        async throws
    {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let proxy: (inout Configuration) -> Void = { $0.http.trustedProxies = ["127.0.0.1"] }
        try await RunningDaemon.again(in: folder, proxy) { running in
            _ = try running.addDevice("ann")
            let id = try running.addShare(of: "ann") { $0.name = "link" }
            for address in ["203.0.113.77", "2001:db8:77::1"] {
                let answer = try await running.ask(
                    .get, "/v1/shares/\(id)/latest", fields: ["X-Forwarded-For": address])
                #expect(answer.status == 200)
            }
        }
        try await RunningDaemon.again(in: folder, proxy) { running in
            let opens = try await running.admin(.get, "/shares/link/opens").list
            let visitors = opens.filter { $0["event"] as? String == "opened" }
                .compactMap { $0["visitor"] as? String }
            #expect(visitors.count == 2 && Set(visitors).count == 2)
        }
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
        for file in files {
            guard let content = FileManager.default.contents(atPath: folder + "/" + file) else {
                continue
            }
            for address in ["203.0.113.77", "2001:db8:77", "127.0.0.1"] {
                #expect(content.range(of: Data(address.utf8)) == nil, "\(address) in \(file)")
            }
        }
    }

    @Test func `What is noted is written down soon, whatever ends the daemon then`()
        async throws
    {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let id = try running.addShare(of: "ann")
            let share = try #require(running.daemon.accounts.shares.first)
            for kinds in [[AuditEntry.Kind.created], [.opened, .created]] {
                // The test must not request the audit, because a request would write it.
                let isWritten = try await running.eventually {
                    try running.daemon.accounts.registry.audit(of: share.key).map(\.kind) == kinds
                }
                #expect(isWritten, "\(kinds)")
                _ = try await running.ask(.get, "/v1/shares/\(id)/latest")
            }
        }
    }

    @Test func `What cannot be written waits for the next time, in its order`() {
        func entry(_ second: Double) -> AuditEntry {
            AuditEntry(
                time: Timestamp(microseconds: 0).advanced(bySeconds: second), share: nil,
                kind: .opened, addressName: "a")
        }
        var notes = AuditNotes()
        var areFirst = [notes.add(entry(1)), notes.add(entry(2))]
        let taken = notes.takePending()
        areFirst.append(notes.add(entry(3)))
        #expect(areFirst == [true, false, true])
        notes.putBack(taken)
        let again = notes.takePending()
        #expect(again == [entry(1), entry(2), entry(3)])
    }

    @Test func `A visit begins anew after ten minutes, for each share and address`() throws {
        var opens = RecentVisits()
        let first = try #require(AddressKey(bytes: [203, 0, 113, 1]))
        let second = try #require(AddressKey(bytes: [203, 0, 113, 2]))
        let (one, two) = (ShareKey(rawValue: 1), ShareKey(rawValue: 2))
        func time(_ seconds: Double) -> Timestamp {
            Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
        }
        let looks: [(ShareKey, AddressKey, seconds: Double, begins: Bool)] = [
            (one, first, 0, true), (one, first, 1, false), (two, first, 2, true),
            (one, second, 3, true), (one, first, 600, false), (one, first, 1201, true),
        ]
        for (share, address, seconds, begins) in looks {
            let isNew = opens.begins(share, from: address, at: time(seconds))
            #expect(isNew == begins, "at \(seconds) s")
        }
    }
}
