import Client
import Foundation
import Registry
import SensorModel
import Testing

@testable import Daemon
@testable import Runtime
import Transport

/// What owners write about their sessions.
@Suite struct SessionNoteRoutesTests {
    private static let path = "/v1/me/sessions/\(RunningDaemon.session(0))"

    private static func put(
        _ running: RunningDaemon, _ body: String, token: String
    ) async throws -> HTTPClient.Answer {
        try await running.ask(
            .put, path, token: token, fields: ["Content-Type": "application/json"], body: body)
    }

    private static func run(
        _ body: (RunningDaemon, _ token: String) async throws -> Void
    ) async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            try await running.sendHeartRates(
                [120, 121], token: token, session: RunningDaemon.session(0))
            try await body(running, token)
        }
    }

    @Test func `A note is kept field by field, cleaned, and shown to the owner`() async throws {
        try await Self.run { running, token in
            let first = try await Self.put(
                running, #"{"name":"  Long\u0000 run ","notes":"wet\nand cold","exertion":6}"#,
                token: token)
            #expect(first.status == 200)
            #expect(first.object["name"] as? String == "Long run")
            #expect(first.object["notes"] as? String == "wet and cold")
            let second = try await Self.put(running, #"{"notes":"","exertion":7}"#, token: token)
            #expect(second.object["name"] as? String == "Long run")
            #expect(second.object["notes"] is NSNull)
            let file = try await running.ask(
                .get, Self.path + "/export?format=gpx", token: token)
            #expect(file.text.contains("<name>Long run</name>"))
            let row = try await running.ask(.get, "/v1/me/sessions", token: token).list[0]
            #expect(row["name"] as? String == "Long run" && row["exertion"] as? Int == 7)
            let admin = try await running.admin(
                .patch, "/sessions/latest?device=ann", #"{"exertion":0,"name":"Short"}"#)
            #expect(admin.status == 200 && admin.object["exertion"] is NSNull)
            let one = try await running.ask(.get, Self.path, token: token)
            #expect(one.object["name"] as? String == "Short" && one.object["exertion"] is NSNull)
        }
    }

    @Test(arguments: [
        #"{"exertion":11}"#, #"{"exertion":-1}"#, #"{"exertion":"hard"}"#, #"{"title":"x"}"#,
        #"{"name":"\#(String(repeating: "n", count: 81))"}"#,
        #"{"notes":"\#(String(repeating: "n", count: 501))"}"#,
        // 500 characters of 12 bytes.
        #"{"notes":"\#(String(repeating: "e\u{301}\u{302}\u{303}\u{304}\u{305}", count: 500))"}"#,
    ])
    func `What is no note is refused, and changes nothing`(body: String) async throws {
        try await Self.run { running, token in
            _ = try await Self.put(running, #"{"name":"First"}"#, token: token)
            let answer = try await Self.put(running, body, token: token)
            #expect(answer.status == 400, "\(answer.text)")
            let one = try await running.ask(.get, Self.path, token: token)
            #expect(one.object["name"] as? String == "First" && one.object["notes"] is NSNull)
        }
    }

    @Test func `No link shows a note, and an erased session leaves none of it on the disk`()
        async throws
    {
        try await Self.run { running, token in
            let secret = "Xylophone17"
            let share = try running.addShare(of: "ann") { $0.name = "link" }
            _ = try await Self.put(
                running, #"{"name":"\#(secret)","notes":"\#(secret)"}"#, token: token)
            for path in ["latest", "history", "week"] {
                let answer = try await running.ask(.get, "/v1/shares/\(share)/\(path)")
                #expect(answer.status == 200 && !answer.text.contains(secret))
            }
            #expect(try Self.files(running, contain: secret))
            let erased = try await running.ask(.delete, Self.path, token: token)
            #expect(erased.status == 200)
            #expect(try !Self.files(running, contain: secret))
            let late = try await Self.put(running, #"{"name":"x"}"#, token: token)
            #expect(late.status == 404)
            #expect(try running.daemon.accounts.registry.notedSessions().isEmpty)
        }
    }

    /// Whether a file of the state folder has the text.
    private static func files(_ running: RunningDaemon, contain text: String) throws -> Bool {
        let names = try FileManager.default.subpathsOfDirectory(atPath: running.folder)
        return names.contains { name in
            let url = URL(fileURLWithPath: running.folder + "/" + name)
            return (try? Data(contentsOf: url))?.range(of: Data(text.utf8)) != nil
        }
    }

    @Test func `Exertion is the load of a run without a heart rate, and only of such`()
        async throws
    {
        try await Self.run { running, token in
            _ = try await Self.put(running, #"{"exertion":8}"#, token: token)
            let answer = try await running.ask(.get, "/v1/me/training?days=1", token: token)
            let day = try #require((answer.object["days"] as? [[String: Any]])?.first)
            #expect(day["sessions"] as? Int == 1 && day["sessionsByExertion"] as? Int == 1)
        }
    }

    @Test func `Notes of sessions that the log lacks go at the next start, unless it lost them`()
        async throws
    {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (kept, gone) = (RunningDaemon.session(0), RunningDaemon.session(1))
        try await RunningDaemon.again(in: folder) { running in
            let token = try running.addDevice("ann")
            try await running.sendHeartRates([120, 130], token: token, session: kept)
            let device = try #require(running.daemon.accounts.device(named: "ann")).id
            for session in [kept, gone] {
                try running.daemon.accounts.registry.setNote(
                    SessionNote(name: "x"), of: session, of: device)
            }
        }
        try await RunningDaemon.again(in: folder) { running in
            let registry = running.daemon.accounts.registry
            let isGone = try await running.eventually {
                (try? registry.notedSessions()) == [kept]
            }
            #expect(isGone)
        }
    }
}
