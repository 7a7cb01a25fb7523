import Client
import Foundation
import SensorModel
import Testing
import Transport
import WireFormat

@testable import Daemon
@testable import Runtime

/// Links with public names, which people can say aloud.
@Suite(.serialized) struct PublicNameRoutesTests {
    private static let session = SessionID(high: 0x4030, low: 1 << 63)

    private static func make(
        _ running: RunningDaemon, _ token: String, _ body: String
    ) async throws -> HTTPClient.Answer {
        try await running.ask(.post, "/v1/me/shares", token: token, body: body)
    }

    private static let paths = [
        "/v1/shares/@ann-runs/latest", "/v1/shares/@ann-runs/history", "/v1/shares/@ann-runs/week",
        "/publicStreams/@ann-runs/latest.json", "/publicStreams/@ann-runs/heartRate.json",
        "/@ann-runs",
    ]

    private static func texts(_ running: RunningDaemon) async throws -> [String] {
        var texts: [String] = []
        for path in paths {
            let answer = try await running.ask(.get, path)
            #expect(answer.status == 200, "\(path)")
            texts.append(answer.text)
        }
        return texts
    }

    private static func end(_ running: RunningDaemon, _ token: String) async throws {
        let client = try await DeviceClient.connect(to: try running.address(.tcp), format: .text)
        try await client.send(Hello(token: token, session: session))
        let now = WallClock.now().secondsSince1970
        try await client.send(
            text: Array(#"{"type":"control","action":"stop","timestamp":\#(now),"seq":4}"#.utf8))
        for try await answer in client.answers {
            if case .ack(let sequence) = answer, sequence.rawValue >= 4 { break }
        }
        await client.close()
    }

    @Test func `A name shows the run that goes on, and nothing of one that is over`()
        async throws
    {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await RunningDaemon.again(in: folder) { running in
            let token = try running.addDevice("ann")
            let made = try await Self.make(running, token, #"{"public":"Ann-Runs"}"#)
            #expect(made.status == 201)
            #expect(
                (made.object["url"] as? String)?.hasSuffix("/@ann-runs") ?? false, "\(made.text)")
            let quiet = try await Self.texts(running)
            #expect(quiet[0].contains("waiting"))
            #expect(quiet[5].contains("Not out now"))
            try await running.sendHeartRates([151, 152, 153], token: token, session: Self.session)
            let shown = try await Self.texts(running)
            #expect(shown[0].contains("153") && shown[3].contains("153"), "\(shown)")
            #expect(shown[1].contains("152") && !shown[2].contains("true"), "\(shown)")
            #expect(shown[5].contains("@ann-runs, live") && shown[5].contains("153 bpm"))
            try await Self.end(running, token)
            let isOver = try await running.eventually {
                try await Self.texts(running)[0].contains("waiting")
            }
            #expect(isOver)
            for (path, text) in zip(Self.paths, try await Self.texts(running)) {
                for value in ["15", "[true", ",true", "startedAt"] where !path.hasPrefix("/@") {
                    let told = text.replacing(#/"(time|cursor)":[^,}]*/#, with: "")
                    #expect(!told.contains(value), "\(path): \(text)")
                }
                #expect(!text.contains("153 bpm"), "\(path)")
            }
        }
        try await RunningDaemon.again(in: folder) { running in
            let texts = try await Self.texts(running)
            #expect(texts[0].contains("waiting") && texts[5].contains("Not out now"))
        }
    }

    private static func first(_ path: String, _ running: RunningDaemon) async throws -> String {
        let socket = try await running.socket(path)
        var first = ""
        for try await text in socket.events {
            first = text
            break
        }
        await socket.close()
        return first
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["", #","delay":"1s""#])
    func `Who comes after a run sees nothing of it, though others stay`(more: String)
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let name = #"{"public":"ann-runs"\#(more)}"#
            #expect(try await Self.make(running, token, name).status == 201)
            // A link that shows the last run with the same delay.
            let beside = #"{"name":"beside","scope":"heartRate,metrics"\#(more)}"#
            let secret = try await Self.make(running, token, beside).object["id"] as? String ?? ""
            let live = try await running.socket("/v1/shares/@ann-runs/live")
            let heart = try await running.socket("/ws/@ann-runs")
            let staying = [live, heart].map { socket in
                Task { for try await _ in socket.events {} }
            }
            try await running.sendHeartRates([151, 152, 153], token: token, session: Self.session)
            let isShown = try await running.eventually {
                try await Self.texts(running)[0].contains("153")
            }
            #expect(isShown)
            try await Self.end(running, token)
            let isOver = try await running.eventually {
                try await running.ask(.get, "/v1/shares/\(secret)/latest").text.contains("ended")
            }
            #expect(isOver)
            // A newcomer sees the same while other viewers stay connected.
            let first = try await Self.first("/v1/shares/@ann-runs/live", running)
            #expect(!first.contains("153") && !first.contains("startedAt"), "\(first)")
            for text in try await Self.texts(running) { #expect(!text.contains("153"), "\(text)") }
            #expect(
                try await running.ask(.get, "/v1/shares/\(secret)/latest").text.contains("153"))
            // Waiting viewers receive the next run.
            let waiting = try await running.socket("/v1/shares/@ann-runs/live")
            try await running.sendHeartRates(
                [161, 162, 163], token: token, session: SessionID(high: 0x4031, low: 1 << 63))
            var isNext = false
            for try await text in waiting.events {
                #expect(!text.contains("153"))
                isNext = text.contains("163")
                if isNext { break }
            }
            #expect(isNext)
            await waiting.close()
            for (task, socket) in zip(staying, [live, heart]) {
                await socket.close()
                task.cancel()
            }
        }
    }

    @Test func `A name is refused that is no name or not free, and is free after its share`()
        async throws
    {
        try await RunningDaemon.run { running in
            let (ann, bob) = (try running.addDevice("ann"), try running.addDevice("bob"))
            #expect(try await Self.make(running, ann, #"{"public":"ann"}"#).status == 201)
            for (token, body, status, reason) in [
                (bob, #"{"public":"ANN"}"#, 409, "found as @ann"),
                (ann, #"{"public":"ann-2"}"#, 409, "found as @ann already: revoke"),
                (bob, #"{"public":"b b"}"#, 400, "cannot be a public name"),
                (bob, #"{"public":"@bob"}"#, 201, "@bob"),
            ] {
                let answer = try await Self.make(running, token, body)
                #expect(
                    answer.status == status && answer.text.contains(reason), "\(answer.text)")
            }
            let list = try await running.ask(.get, "/v1/me/shares", token: ann).list
            #expect(list.first?["public"] as? String == "@ann")
            #expect(list.first?["scope"] as? [String] == ["heartRate", "metrics"])
            let placed = try await Self.make(
                running, try running.addDevice("cem"), #"{"public":"cem","scope":"location"}"#)
            #expect(placed.text.contains("sees where this runner is"))
            #expect((list.first?["url"] as? String)?.hasSuffix("/@ann") == true)
            let unknown = try await running.ask(.get, "/@nobody")
            let noName = try await running.ask(.get, "/@")
            #expect(unknown.status == 404 && noName.status == 404)
            #expect(
                try await running.ask(.delete, "/v1/me/shares/ann", token: ann).status == 204)
            #expect(try await running.ask(.get, "/@ann").status == 404)
            #expect(try await running.ask(.get, "/v1/shares/@ann/latest").status == 404)
        }
    }
}
