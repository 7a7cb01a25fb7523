import Client
import Compression
import Foundation
import Ingest
import Registry
import SensorModel
import Sharing
import Testing
import Transport

@testable import Daemon
@testable import Runtime

/// Import of run files that other programs recorded.
@Suite(.serialized) struct ImportTests {
    private static let start = WallClock.now().secondsSince1970.rounded(.down) - 86_400

    /// Ten minutes north at 3 m/s.
    private static func gpx(
        from start: Double = start, latitude: Double = 48.1, seconds: Range<Int> = 0..<600
    ) -> String {
        let points = seconds.map { second in
            let time = Timestamp(microseconds: Int64((start + Double(second)) * 1e6))
            return """
                <trkpt lat="\(latitude + Double(second) * 27e-6)" lon="11.5"><time>\
                \(time.iso8601(decimals: 0))</time><extensions><gpxtpx:TrackPointExtension>\
                <gpxtpx:hr>\(120 + second % 40)</gpxtpx:hr></gpxtpx:TrackPointExtension>\
                </extensions></trkpt>
                """
        }
        return """
            <?xml version="1.0"?><gpx version="1.1" creator="another program" \
            xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1">
            <trk><trkseg>\(points.joined(separator: "\n"))</trkseg></trk></gpx>
            """
    }

    private static func send(
        _ file: [UInt8], _ running: RunningDaemon, _ token: String, _ duplicate: String = "refuse"
    ) async throws -> HTTPClient.Answer {
        try await HTTPClient(try running.address(.http)).send(
            .post, "/v1/me/import?name=run.gpx&duplicate=\(duplicate)",
            fields: ["Authorization": "Bearer \(token)"], body: file)
    }

    private static func send(
        _ file: String, _ running: RunningDaemon, _ token: String, _ duplicate: String = "refuse"
    ) async throws -> HTTPClient.Answer {
        try await send(Array(file.utf8), running, token, duplicate)
    }

    private static func sessions(
        _ running: RunningDaemon, _ token: String
    ) async throws -> [[String: Any]] {
        let answer = try await running.ask(.get, "/v1/me/sessions", token: token)
        return try #require(
            JSONSerialization.jsonObject(with: Data(answer.body)) as? [[String: Any]])
    }

    @Test func `A file becomes a session, with its own times and totals`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let taken = try await Self.send(
                Gzip.compress(Array(Self.gpx().utf8)), running, token)
            #expect(taken.status == 201, "\(taken.text)")
            #expect(taken.object["frames"] as? Int == 1200)
            // The session is processed soon after it is recorded.
            let isEnded = try await running.eventually {
                try await Self.sessions(running, token).first?["state"] as? String == "ended"
            }
            #expect(isEnded)
            let session = try #require(try await Self.sessions(running, token).first)
            #expect(session["id"] as? String == taken.object["session"] as? String)
            #expect(session["startedAt"] as? Double == Self.start)
            let meters = try #require(session["distanceMeters"] as? Double)
            #expect(abs(meters - 1797) < 40, "\(meters)")
        }
    }

    @Test func `The last runs of 2 km and more are known to the next, without erased ones`()
        async throws
    {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func runs(_ running: RunningDaemon) throws -> [RecentRun] {
            let accounts = running.daemon.accounts
            let device = try #require(accounts.device(named: "ann")).id
            return accounts.profile(of: device, at: WallClock.now()).recentRuns
        }
        var token = ""
        try await RunningDaemon.again(in: folder) { running in
            token = try running.addDevice("ann")
            var ids: [String] = []
            for (hours, seconds) in [(0, 800), (2, 900), (4, 300)] {
                let answer = try await Self.send(
                    Self.gpx(from: Self.start + 3600 * Double(hours), seconds: 0..<seconds),
                    running, token)
                ids.append(try #require(answer.object["session"] as? String))
            }
            let areKnown = try await running.eventually { try runs(running).count == 2 }
            #expect(areKnown)
            let meters = try runs(running).map { Int((Double($0.meters) / 100).rounded()) }
            #expect(meters == [27, 24])
            let erased = try await running.ask(
                .delete, "/v1/me/sessions/\(ids[1])", token: token)
            #expect(erased.status == 200)
            let left = try runs(running)
            #expect(left.count == 1 && left[0].movingSeconds <= 800)
        }
        try await RunningDaemon.again(in: folder) { running in
            let isKnown = try await running.eventually { try runs(running).count == 1 }
            #expect(isKnown)
        }
    }

    @Test func `The same run is refused, replaced or kept beside it, as asked`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let first = try await Self.send(Self.gpx(), running, token)
            let id = try #require(first.object["session"] as? String)
            for file in [
                Self.gpx(), Self.gpx(from: Self.start + 1), Self.gpx(seconds: 200..<600),
                Self.gpx(latitude: 48.100_05),
            ] {
                let again = try await Self.send(file, running, token)
                #expect(again.status == 409)
                #expect((again.object["reason"] as? String)?.contains(id) == true)
            }
            #expect(try await Self.sessions(running, token).count == 1)
            let elsewhere = try await Self.send(Self.gpx(latitude: 50), running, token)
            let later = try await Self.send(Self.gpx(from: Self.start + 700), running, token)
            #expect(elsewhere.status == 201 && later.status == 201)

            let kept = try await Self.send(Self.gpx(), running, token, "keep")
            #expect(kept.object["beside"] as? [String] == [id])
            #expect(try await Self.sessions(running, token).count == 4)
            let training = try await running.ask(.get, "/v1/me/training?days=4", token: token)
            let days = training.object["days"] as? [[String: Any]] ?? []
            #expect(days.compactMap { $0["sessions"] as? Int }.reduce(0, +) == 2, "once")
            let both: Set = [id, try #require(kept.object["session"] as? String)]
            let instead = try await Self.send(Self.gpx(), running, token, "replace")
            #expect(Set(instead.object["replaced"] as? [String] ?? []) == both)
            #expect(try await Self.sessions(running, token).count == 3)
            // Beyond the deletion limit, a replacing import is refused and makes no copy.
            for _ in 2..<Accounts.deletionsPerMinuteMax {
                #expect(try await Self.send(Self.gpx(), running, token, "replace").status == 201)
            }
            let busy = try await Self.send(Self.gpx(), running, token, "replace")
            #expect(busy.status == 429 && busy.fields["retry-after"] != nil)
            #expect(try await Self.sessions(running, token).count == 3)
            let odd = try await Self.send(Self.gpx(), running, token, "perhaps")
            #expect(odd.status == 400 && odd.text.contains("refuse, replace, keep"))
        }
    }

    @Test func `Another device's run is no duplicate, nor told`() async throws {
        try await RunningDaemon.run { running in
            let (ann, bob) = (try running.addDevice("ann"), try running.addDevice("bob"))
            #expect(try await Self.send(Self.gpx(), running, ann).status == 201)
            #expect(try await Self.send(Self.gpx(), running, bob).status == 201)
        }
    }

    @Test func `A run that a device recorded is found when its file is brought in`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let session = SessionID(high: 0x4021, low: 1 << 63)
            let rates = (0..<120).map { 100 + $0 * 7 % 60 }
            try await running.sendHeartRates(rates, token: token, session: session)
            let file = try await running.ask(
                .get, "/v1/me/sessions/\(session)/export?format=ndjson", token: token)
            #expect(file.status == 200)
            let again = try await Self.send(file.text, running, token)
            #expect(again.status == 409 && again.text.contains("\(session)"))
        }
    }

    /// A link must not expose years of imported runs.
    @Test func `No link shows what was imported, in no form`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            #expect(try await Self.send(Self.gpx(), running, token).status == 201)
            func texts() async throws -> [String] {
                var texts: [String] = []
                for path in [
                    "/v1/shares/\(share)/latest", "/v1/shares/\(share)/history",
                    "/v1/shares/\(share)/week", "/publicStreams/\(share)/latest.json",
                    "/publicStreams/\(share)/heartRate.json",
                ] { texts.append(try await running.ask(.get, path).text) }
                return texts
            }
            let told = try await texts()
            #expect(told[0].contains("waiting"))
            for text in told {
                for value in ["48.1", "\"session\":\"", "bpm\":1", "days\":[true", ",true"] {
                    #expect(!text.contains(value), "\(text)")
                }
            }
            // A run that was visible before stays visible.
            try await running.sendHeartRates(
                [151, 152], token: token, session: SessionID(high: 0x4022, low: 1 << 63))
            #expect(try await texts()[0].contains("152"))
            let other = Self.gpx(from: Self.start + 7200)
            #expect(try await Self.send(other, running, token).status == 201)
            #expect(try await texts()[0].contains("152"))
        }
    }

    @Test func `A file of short lines is taken, however many values a line has`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let rows = (0..<1800).map { second in
                "\(Int(Self.start) + second),48.\(100_000 + 27 * second),11,\(120 + second % 9)\n"
            }
            let file = "time,latitude,longitude,heartRate\n" + rows.joined()
            let answer = try await Self.send(file, running, token)
            #expect(
                answer.status == 201 && answer.text.contains("\"frames\":3600"), "\(answer.text)")
        }
    }

    /// The file would occupy memory for as long as the pipeline needs to record it.
    @Test func `A file that takes minutes to record is refused, and leaves no connection`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            func line(_ type: String, _ fields: String, _ time: Int) -> String {
                #"{"type":"\#(type)",\#(fields),"timestamp":\#(time)}"# + "\n"
            }
            func beat(_ time: Int) -> String { line("heartRate", #""heartRate":90"#, time) }
            let start = Int(Self.start)
            let days = (0..<1200).map { beat(start - 95_000_000 + $0 * 86_400) }.joined()
            let buttons = (0..<6200).map { line("control", #""action":"lap""#, start + $0) }
                .joined()
            for file in [days, beat(start) + buttons] {
                let answer = try await Self.send(file, running, token)
                #expect(
                    answer.status == 400 && answer.text.contains("too much time"), "\(answer.text)")
            }
            #expect(try await Self.sessions(running, token).isEmpty)
            let isFree = try await running.eventually {
                let open = await running.daemon.pipeline.mailbox.ask { $0.table.connectionCount }
                return open == 0 && running.daemon.pipeline.exports.bytes == 0
            }
            #expect(isFree)
        }
    }

    @Test func `What is no recording is refused, with the reason`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let bomb = Gzip.compress([UInt8](repeating: 0x20, count: 64 << 20))
            let many = "t_s,bpm\n" + (0..<100_000).map { "\($0),90\n" }.joined()
            let motion =
                "t_s,ax,ay,az\n" + (0..<100_000).map { "\($0),0,0,1\n" }.joined()
            let cases: [([UInt8], String)] = [
                (Array("hello".utf8), "no gpx element"),
                (Array(Self.gpx().utf8.prefix(400)), "GPX"),
                (Array(Gzip.compress(Array(Self.gpx().utf8)).dropLast(20)), "gzip"),
                (bomb, "too large"), (Array(many.utf8), "values"),
                (Gzip.compress(Array(motion.utf8)), "values"),
                ([], "empty"),
            ]
            for (file, reason) in cases {
                let answer = try await Self.send(file, running, token)
                #expect(answer.status == 400 && answer.text.contains(reason), "\(answer.text)")
            }
            #expect(try await Self.sessions(running, token).isEmpty)
            let isFree = try await running.eventually {
                running.daemon.pipeline.exports.bytes == 0
            }
            #expect(isFree)
            #expect(try await Self.send(Self.gpx(), running, "wrong").status == 401)
        }
    }
}
