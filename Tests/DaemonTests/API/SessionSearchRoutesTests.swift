import Client
import Foundation
import SensorModel
import Testing

@testable import Daemon
@testable import Runtime
import Transport

@Suite struct SessionSearchRoutesTests {
    private static func query(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    private static func ids(_ answer: HTTPClient.Answer) -> [String] {
        answer.list.compactMap { $0["id"] as? String }
    }

    @Test func `A search finds names, notes and days of the own sessions, page by page`()
        async throws
    {
        try await RunningDaemon.run { running in
            let tokens = [try running.addDevice("ann"), try running.addDevice("bob")]
            for number in 0..<6 {
                let session = RunningDaemon.session(number)
                let token = tokens[number % 2]
                try await running.sendHeartRates([120], token: token, session: session)
                // Decomposed here, composed in the search below.
                let note = try await running.ask(
                    .put, "/v1/me/sessions/\(session)", token: token,
                    body: #"{"name":"Cafe\u0301 + Ufer \#(number)","notes":"한강"}"#)
                #expect(note.status == 200)
            }
            let own = [4, 2, 0].map { "\(RunningDaemon.session($0))" }
            for text in [
                "CAFÉ + U", "한강", Date().formatted(.iso8601.year()), "ufer 2", "tea", "1999",
            ] {
                let found = text == "ufer 2" ? [own[1]] : ["tea", "1999"].contains(text) ? [] : own
                for path in ["/v1/me/sessions?", "/sessions?device=ann&"] {
                    var next = path + "limit=2&search=\(Self.query(text))"
                    var rows: [String] = []
                    while !next.isEmpty {
                        let answer =
                            path.hasPrefix("/v1")
                            ? try await running.ask(.get, next, token: tokens[0])
                            : try await running.admin(.get, next)
                        try #require(answer.status == 200, "\(next) \(answer.text)")
                        rows += Self.ids(answer)
                        next =
                            answer.fields["Link"].map {
                                String($0.dropFirst().prefix { $0 != ">" })
                            } ?? ""
                    }
                    #expect(rows == found, "\(text)")
                }
            }
            #expect(Self.ids(try await running.admin(.get, "/sessions?search=ufer")).count == 6)
        }
    }

    @Test func `A search of nothing, too much or control characters is refused`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            for text in ["", String(repeating: "x", count: 65), "a\u{0}b", "a\nb", "\u{9B}31m"] {
                let answer = try await running.ask(
                    .get, "/v1/me/sessions?search=\(Self.query(text))", token: token)
                #expect(answer.status == 400 && answer.text.contains("search"), "\(answer.text)")
            }
            // Composed, these are 64 characters.
            let long = String(repeating: "e\u{301}", count: 64)
            let answer = try await running.ask(
                .get, "/v1/me/sessions?search=\(Self.query(long))", token: token)
            #expect(answer.status == 200 && answer.list.isEmpty)
        }
    }
}
