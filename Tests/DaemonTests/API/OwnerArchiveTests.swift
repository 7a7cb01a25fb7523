import Client
import Foundation
import Registry
import SegmentLog
import SensorModel
import Testing
import Transport

@testable import API
@testable import Daemon
@testable import Runtime

/// The archive of a device, unpacked by Info-ZIP.
@Suite(.serialized) struct OwnerArchiveTests {
    /// What the archive does not have, and why.
    private static let leftOut = [
        "/archive": "itself", "/sessions": "sessions.json has it, without pages",
        "/shares": "shares.json has them without their links",
        "/training": "computed of the sessions", "/setups": "tells how to do something",
    ]

    /// Requests that make something whose address is a key.
    private static let wishes: [(path: String, method: HTTPRequest.Method, body: String)] = [
        ("/groups", .post, #"{"label":"Friends"}"#),
        ("/receivers/mum", .put, #"{"kind":"ntfy","address":"https://ntfy.example/4711"}"#),
        ("/targets/hook", .put, #"{"kind":"webhook","address":"https://x.example/4712"}"#),
    ]

    private static func unpacked(_ archive: [UInt8]) throws -> [String: [UInt8]] {
        let folder = URL(filePath: RunningDaemon.newFolder())
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "archive.zip")
        try Data(archive).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["unzip", "-qq", file.path, "-d", folder.appending(path: "out").path]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let out = folder.appending(path: "out").path
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: out) {
            files[name] = FileManager.default.contents(atPath: out + "/" + name).map(Array.init)
        }
        return files.filter { $0.key != "sessions" }
    }

    /// Whether a file has what a route answers, but for addresses.
    private static func isSame(_ file: String, _ answer: String) throws -> Bool {
        let plain = answer.replacing(/"(url|address)":("[^"]*"|null),?/, with: "")
            .replacing(",}", with: "}")
        return plain == file
    }

    private static func archive(
        _ running: RunningDaemon, _ token: String, as format: String = "fit"
    ) async throws -> [String: [UInt8]] {
        let answer = try await running.askMe(.get, "/archive?format=\(format)", token: token)
        try #require(answer.status == 200, "\(answer.text)")
        return try unpacked(answer.body)
    }

    @Test(arguments: ["fit", "csv-motion"])
    func `It has what each route answers, and the sessions of its device alone`(
        format: String
    ) async throws {
        try await RunningDaemon.run { running in
            let (ann, bob) = (try running.addDevice("ann"), try running.addDevice("bob"))
            for number in 0..<3 {
                try await running.sendHeartRates(
                    [120, 121 + number], token: ann, session: RunningDaemon.session(number))
            }
            try await running.sendHeartRates(
                [99], token: bob, session: RunningDaemon.session(9))
            _ = try running.addShare(of: "bob")
            let link = try running.addShare(of: "ann") { $0.label = "Coach" }
            for (path, method, body) in Self.wishes {
                let answer = try await running.askMe(method, path, body, token: ann)
                #expect((200...201).contains(answer.status), "\(answer.text)")
            }
            let gpx =
                #"<gpx><trk><trkseg><trkpt lat="48.1" lon="11.5"/>"#
                + #"<trkpt lat="48.2" lon="11.5"/></trkseg></trk></gpx>"#
            #expect(try await running.askMe(.put, "/course", gpx, token: ann).status == 200)
            let files = try await Self.archive(running, ann, as: format)
            var names: Set = ["README.txt", "sessions.json", "shares.json"]
            let shares = try #require(
                try JSONSerialization.jsonObject(with: Data(files["shares.json"] ?? []))
                    as? [[String: Any]])
            #expect(shares.contains { $0["label"] as? String == "Coach" })
            #expect(shares.allSatisfy { $0["opens"] is [Any] })
            let text = String(decoding: files.values.joined(), as: UTF8.self)
            #expect(![link, "4711", "4712", "http"].contains { text.contains($0) })
            #expect(text.contains("Friends") && text.contains("mum"))
            for operation in OpenAPIOperations.all
            where operation.method == .get && operation.path.hasPrefix("/v1/me")
                && !operation.path.contains("{")
            {
                let path = String(operation.path.dropFirst("/v1/me".count))
                guard Self.leftOut[path] == nil else { continue }
                let name = path.isEmpty ? "device" : String(path.dropFirst())
                let file = "\(name).\(name == "course" ? "gpx" : "json")"
                names.insert(file)
                let answer = try await running.askMe(.get, path, token: ann)
                let kept = String(decoding: files[file] ?? [], as: UTF8.self)
                #expect(try Self.isSame(kept, answer.text), "\(file)")
            }
            let list = try await running.askMe(.get, "/sessions", token: ann).list
            let kept = try #require(
                try JSONSerialization.jsonObject(with: Data(files["sessions.json"] ?? []))
                    as? [[String: Any]])
            #expect(kept.count == 3 && kept as NSArray == list as NSArray)
            for session in list {
                let id = try #require(session["id"] as? String)
                let name = try #require(files.keys.first { $0.contains(id) })
                #expect(name.hasPrefix("sessions/20"))
                names.insert(name)
                let answer = try await running.askMe(
                    .get, "/sessions/\(id)/export?format=\(format)", token: ann)
                #expect(files[name] == answer.body)
            }
            #expect(Set(files.keys) == names)
        }
    }

    @Test func `A device without any session has an archive, too`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let files = try await Self.archive(running, token)
            #expect(files["sessions.json"].map { String(decoding: $0, as: UTF8.self) } == "[]\n")
            #expect(files["course.gpx"] == nil && files["missing.txt"] == nil)
        }
    }

    @Test(arguments: [("fit", FrameKind.heartRate), ("csv-motion", .motion)])
    func `A session that cannot be read is named, and the others are there`(
        format: String, kind: FrameKind
    ) async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let device = try running.daemon.administration.known("ann").id
            let (whole, damaged) = (RunningDaemon.session(0), RunningDaemon.session(1))
            try await running.sendHeartRates([120], token: token, session: whole)
            let log = running.daemon.pipeline.log
            let time = WallClock.now()
            let offset = log.append(
                .frame(kind), session: damaged, device: device, sequence: .none,
                deviceTime: time, arrivalTime: time,
                payload: [UInt8](repeating: 0xFF, count: 1).span)
            log.flush()
            let last = try #require(offset)
            #expect(await log.waitUntilWritten(through: last, onFailure: .report) == .reached)
            #expect(
                try await running.eventually {
                    running.daemon.pipeline.catalog.reload()
                    return running.daemon.pipeline.catalog.summary(of: damaged) != nil
                })
            let files = try await Self.archive(running, token, as: format)
            let missing = String(decoding: files["missing.txt"] ?? [], as: UTF8.self)
            #expect(missing.hasPrefix("\(damaged): "), "\(missing)")
            #expect(!missing.contains("\(whole)"))
            #expect(files.keys.contains { $0.contains("\(whole)") })
        }
    }

    @Test func `It waits for room, and ends when the token does`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let device = try running.daemon.administration.known("ann").id
            try await running.sendHeartRates(
                [120, 121], token: token, session: RunningDaemon.session(0))
            for isRevoked in [false, true] {
                let other = try running.daemon.pipeline.exports.begin(device)
                #expect(other.take(ExportBudget.deviceBytesMax) == nil)
                let asked = Task {
                    try await running.askMe(.get, "/archive?format=fit", token: token)
                }
                try await Task.sleep(for: .milliseconds(300))
                if isRevoked { try running.daemon.administration.revokeDevice(named: "ann") }
                #expect(other.take(0) == nil)
                if isRevoked {
                    await #expect(throws: (any Error).self) { try await asked.value }
                } else {
                    let files = try Self.unpacked(try await asked.value.body)
                    #expect(files.keys.contains { $0.hasSuffix(".fit") })
                    #expect(files["missing.txt"] == nil)
                }
            }
        }
    }
}
