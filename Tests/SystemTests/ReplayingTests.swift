import Foundation
import Testing

extension SystemTests {
    /// Playback of a recorded session to all viewers of a share, or to one that seeks in it.
    @Suite struct ReplayingTests {
        @Test func `A replay reaches who watches the share, and who comes while it runs`()
            async throws
        {
            try await Self.withRecordedRun { daemon, session, share in
                let early = try await Self.viewer(of: share, at: daemon)
                let late = Task {
                    try await Task.sleep(for: .seconds(2))
                    let viewer = try await Self.viewer(of: share, at: daemon)
                    return try await Self.watch(viewer, for: 3)
                }
                // 60 s in 6 s.
                async let played = daemon.command(
                    [
                        "replay", session, "--share", share, "--speed", "10", "--from", "0",
                        "--until", "60", "--json",
                    ])
                let seen = try await Self.watch(early, for: 9)
                let seenLate = try await late.value
                let outcome = try await played
                #expect(outcome.end == .exited(0), "\(outcome.complaint)")
                #expect(outcome.object["viewers"] as? Int == 2)
                let start = try #require(seen.dropFirst().first?.time)
                let updates = seen.filter { $0.type == "update" }
                #expect(updates.count >= 40, "\(seen.map(\.type))")
                #expect(updates.allSatisfy { $0.time >= start && $0.time <= start + 62 })
                #expect(zip(updates, updates.dropFirst()).allSatisfy { $0.offset < $1.offset })
                // After the end the viewers are back at the share's own session.
                #expect(seen.last?.type == "snapshot" && seen.last?.state == "ended")
                let lateTimes = seenLate.dropFirst().map { $0.time - start }
                #expect(lateTimes.contains { $0 > 10 && $0 < 60 }, "\(lateTimes)")
            }
        }

        @Test func `A viewer seeks, pauses, and goes back to live on one connection`()
            async throws
        {
            try await Self.withRecordedRun { daemon, session, share in
                let viewer = try await Self.viewer(of: share, at: daemon)
                let snapshot = try #require(try await Self.next(viewer))
                let middle = snapshot.time - 60
                await viewer.send(WebSocketFrame.text(#"{"seek":\#(middle)}"#))
                let sought = try #require(try await Self.next(viewer))
                #expect(sought.type == "snapshot" && sought.state == "live")
                #expect(abs(sought.time - middle) <= 1)
                #expect(sought.distance < snapshot.distance && sought.distance > 0)
                let update = try #require(try await Self.next(viewer))
                #expect(update.offset > sought.offset && update.time >= sought.time)
                await viewer.send(WebSocketFrame.text(#"{"pause":true}"#))
                await viewer.send(WebSocketFrame.text(#"{"live":true}"#))
                var last = update
                while last.state != "ended", let next = try await Self.next(viewer) { last = next }
                #expect(last.type == "snapshot" && last.distance == snapshot.distance)
            }
        }

        @Test func `What other zones would change is shown event by event`() async throws {
            try await Self.withRecordedRun { daemon, session, _ in
                let same = try await daemon.command(["replay", session, "--diff", "--json"])
                #expect(same.object["differing"] as? Int == 0, "\(same.output.prefix(300))")
                let other = try await daemon.command(
                    ["replay", session, "--diff", "--zones", "100,120,130,140", "--json"])
                #expect(other.end == .exited(0), "\(other.complaint)")
                let differing = try #require(other.object["differing"] as? Int)
                let listed = try #require(other.object["differences"] as? [[String: Any]])
                #expect(differing > 0 && listed.count == differing)
                let first = listed.first?["computed"] as? String ?? ""
                #expect(first.contains("zone") && !first.contains("distanceMeters"), "\(first)")
                let wrong = try await daemon.command(
                    ["replay", session, "--diff", "--zones", "everything"])
                #expect(wrong.end == .exited(2) && wrong.complaint.contains("karvonen"))
            }
        }

        @Test func `Every record names the segment it lies in`() async throws {
            try await Self.withRecordedRun { daemon, session, _ in
                let segments = try await daemon.command(["log", "list", "--json"])
                let listed = try await daemon.command(["log", "cat", "--session", session])
                let named = Set(
                    listed.output.matches(of: /"segment":"([^"]+)"/).map { String($0.1) })
                #expect(!named.isEmpty && !listed.output.contains(#""segment":null"#))
                #expect(named.allSatisfy(segments.output.contains))
            }
        }

        @Test func `A motion record is printed with every sample`() async throws {
            try await Self.withRecordedRun { daemon, session, _ in
                let listed = try await daemon.command(["log", "cat", "--session", session])
                let batches = try listed.output.split(separator: "\n")
                    .filter { $0.contains(#""samples":"#) }
                    .map { try JSONSerialization.jsonObject(with: Data($0.utf8)) }
                    .compactMap { $0 as? [String: Any] }
                #expect(!batches.isEmpty)
                for batch in batches {
                    let acceleration = batch["acceleration"] as? [[Double]] ?? []
                    #expect(acceleration.count == batch["samples"] as? Int)
                    #expect(acceleration.allSatisfy { $0.count == 3 })
                    let rotation = batch["rotationRate"] as? [[Double]]
                    #expect((rotation != nil) == (batch["rotation"] as? Bool))
                    #expect(rotation.map { $0.count == acceleration.count } ?? true)
                }
            }
        }

        // MARK: - A daemon with a run and its viewers

        private struct Seen {
            let type: String
            let state: String?
            let time: Double
            let offset: Int
            let distance: Double
        }

        /// Records two minutes of a simulated runner; `body` gets the session and a share.
        private static func withRecordedRun(
            _ body: (DaemonProcess, String, String) async throws -> Void
        ) async throws {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try await daemon.addDevice("runner")
                    let share = try await daemon.addShare(of: "runner")
                    let simulated = try await Program.run(
                        [
                            "simulate", "--to",
                            "tcp://127.0.0.1:\(try daemon.port(of: "device"))",
                            "--token-file", try folder.write(token, to: "token"),
                            "--minutes", "2", "--speed", "max",
                        ], in: folder)
                    try #require(simulated.end == .exited(0), "\(simulated.complaint)")
                    let sessions = try await daemon.command(["session", "list", "--json"])
                    let id = sessions.output.firstMatch(of: /"id":"([^"]+)"/)?.1
                    try await body(daemon, String(try #require(id)), share)
                    #expect(try await daemon.terminate() == .exited(0))
                }
            }
        }

        private static func viewer(
            of share: String, at daemon: DaemonProcess
        ) async throws -> PlainSocket {
            let socket = try daemon.connect("http")
            #expect(try await socket.upgrade("/v1/shares/\(share)/live?rate=20") == 101)
            return socket
        }

        private static func watch(_ viewer: PlainSocket, for seconds: Double) async throws -> [Seen]
        {
            let closing = Task {
                try await Task.sleep(for: .seconds(seconds))
                viewer.close()
            }
            defer { closing.cancel() }
            var seen: [Seen] = []
            while let next = try? await next(viewer) { seen.append(next) }
            return seen
        }

        /// The next event; `nil` at the end of the connection.
        private static func next(_ viewer: PlainSocket) async throws -> Seen? {
            while let message = try await viewer.message() {
                guard case .text(let json) = message,
                    let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
                        as? [String: Any]
                else { continue }
                let cursor = (object["cursor"] as? String)?.split(separator: "-").last
                return Seen(
                    type: object["type"] as? String ?? "", state: object["state"] as? String,
                    time: (object["time"] as? NSNumber)?.doubleValue ?? 0,
                    offset: cursor.flatMap { Int($0) } ?? 0,
                    distance: (object["distanceMeters"] as? NSNumber)?.doubleValue ?? 0)
            }
            return nil
        }
    }
}
