import Client
import Foundation
import Registry
import SensorModel
import Testing
import Transport

@testable import Daemon
@testable import Runtime

/// The administration page: reach, sessions, and allowed routes.
@Suite(.serialized) struct AdminPageTests {
    private static let json: HTTPFields = ["Content-Type": "application/json"]
    private static let unknownSecret = "pa_" + String(repeating: "A", count: 22)

    /// The HTTP port's routes of the page.
    static let patterns = [
        "GET /admin", "POST /v1/admin/sessions", "DELETE /v1/admin/sessions",
        "GET /v1/admin/health", "GET /v1/admin/devices", "POST /v1/admin/devices",
        "DELETE /v1/admin/devices/:name", "POST /v1/admin/devices/:name/setup",
        "POST /v1/admin/devices/:name/rotate", "POST /v1/admin/devices/:name/revoke",
        "GET /v1/admin/shares", "POST /v1/admin/shares/:name/revoke",
    ]

    /// Every route of the page with a body that it takes.
    private static let routes: [(method: HTTPRequest.Method, path: String, body: String)] = [
        (.get, "/admin", ""), (.post, "/v1/admin/sessions", #"{"secret":"x"}"#),
        (.delete, "/v1/admin/sessions", ""), (.get, "/v1/admin/health", ""),
        (.get, "/v1/admin/devices", ""), (.post, "/v1/admin/devices", #"{"device":"new"}"#),
        (.delete, "/v1/admin/devices/ann", ""), (.post, "/v1/admin/devices/ann/rotate", ""),
        (.post, "/v1/admin/devices/ann/revoke", ""),
        (.post, "/v1/admin/devices/ann/setup", #"{"app":"browser","rotate":true}"#),
        (.get, "/v1/admin/shares", ""), (.post, "/v1/admin/shares/ann/revoke", ""),
    ]

    /// - Returns: The secret of a new link.
    private static func link(_ running: RunningDaemon) async throws -> String {
        let made = try await running.admin(.post, "/admin-links")
        #expect(made.status == 201, "\(made.text)")
        let url = try #require(made.object["url"] as? String)
        return String(try #require(url.split(separator: "#").last))
    }

    private static func open(
        _ running: RunningDaemon, _ secret: String, fields: HTTPFields = json
    ) async throws -> HTTPClient.Answer {
        try await running.ask(
            .post, "/v1/admin/sessions", fields: fields, body: #"{"secret":"\#(secret)"}"#)
    }

    /// - Returns: The token of a new session.
    private static func session(_ running: RunningDaemon) async throws -> String {
        let opened = try await open(running, try await link(running))
        return try #require(opened.object["token"] as? String)
    }

    /// The whole answer without its date.
    private static func bytes(_ answer: HTTPClient.Answer) -> String {
        let fields = answer.fields.fields.filter { $0.name.lowercased() != "date" }
        return "\(answer.status) \(fields) \(answer.text)"
    }

    // MARK: Reach

    /// Asks for every route, and compares the answers with those to a path that is not there.
    private static func expectNothing(
        _ running: RunningDaemon, token: String, _ fields: HTTPFields
    ) async throws {
        let long = "{" + String(repeating: " ", count: 2 * Router.bodyBytesMax) + "}"
        for route in routes {
            for method in [route.method, .options, .put, .head] {
                for body in [route.body, method == .post ? long : ""] {
                    let answer = try await running.ask(
                        method, route.path, token: token, fields: fields, body: body)
                    let nothing = try await running.ask(
                        method, "/v1/nothing", token: token, fields: fields, body: body)
                    #expect(answer.status == 404)
                    #expect(bytes(answer) == bytes(nothing), "\(method) \(route.path) \(fields)")
                }
            }
        }
    }

    @Test(arguments: [
        ["Host": "evil.example:7480"], ["Host": "0.0.0.0:7480"], ["X-Forwarded-For": "127.0.0.1"],
        ["Host": "localhost", "Via": "1.1 proxy"], ["X-Forwarded-Proto": "https"],
    ])
    func `A foreign Host or an untrusted proxy gets the answer to an unknown path`(
        fields: [String: String]
    ) async throws {
        try await RunningDaemon.run { running in
            let token = try await Self.session(running)
            let sent = HTTPFields(fields.map { .init(name: $0.key, value: $0.value) })
            try await Self.expectNothing(running, token: token, sent)
            for host in ["localhost", "127.0.0.1:9", "[::1]:7480"] {
                let page = try await running.ask(.get, "/admin", fields: ["Host": host])
                #expect(page.status == 200 && page.text.contains("/assets/admin."))
            }
        }
    }

    @Test(arguments: [
        [:], ["X-Forwarded-For": "127.0.0.1"], ["X-Forwarded-Proto": "http"],
        ["X-Forwarded-For": "127.0.0.1, 203.0.113.9", "X-Forwarded-Proto": "https, http"],
        ["Host": "localhost", "Forwarded": "for=127.0.0.1;proto=https"],
    ])
    func `A trusted proxy without TLS gets the answer to an unknown path, with a session too`(
        fields: [String: String]
    ) async throws {
        try await RunningDaemon.run {
            $0.http.trustedProxies = ["127.0.0.1"]
            $0.http.publicURL = "https://run.example"
        } _: { running in
            let made = try await running.admin(.post, "/admin-links", #"{"expires":"2m"}"#)
            let url = try #require(made.object["url"] as? String)
            #expect(url.hasPrefix("https://run.example/admin#pa_"))
            #expect(made.object["sessionSeconds"] as? Int == 120)
            let secret = String(url.dropFirst("https://run.example/admin#".count))
            let proxied: HTTPFields = [
                "Host": "run.example", "X-Forwarded-For": "203.0.113.9",
                "X-Forwarded-Proto": "https", "Content-Type": "application/json",
            ]
            let opened = try await Self.open(running, secret, fields: proxied)
            let token = try #require(opened.object["token"] as? String)
            let health = try await running.ask(
                .get, "/v1/admin/health", token: token, fields: proxied)
            #expect(health.status == 200)
            let sent = HTTPFields(fields.map { .init(name: $0.key, value: $0.value) })
            try await Self.expectNothing(running, token: token, sent)
        }
    }

    // MARK: Sessions

    @Test func `A session's token opens every route, and nothing else does`() async throws {
        try await RunningDaemon.run { running in
            let device = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            let (link, used) = (try await Self.link(running), try await Self.link(running))
            let ended = try await Self.session(running)
            #expect(try await Self.open(running, used).status == 201)
            let end = try await running.ask(.delete, "/v1/admin/sessions", token: ended)
            #expect(end.status == 204)
            let wrong = [nil, "", "x", Self.unknownSecret, device, share, link, used, ended]
            for route in Self.routes.dropFirst(2) {
                for token in wrong {
                    let answer = try await running.ask(
                        route.method, route.path, token: token, fields: Self.json,
                        body: route.body)
                    #expect(answer.status == 401, "\(route) \(token ?? "–"): \(answer.text)")
                }
            }
            for secret in ["", "x", Self.unknownSecret, device, share, used, ended] {
                #expect(try await Self.open(running, secret).status == 401, "\(secret)")
            }
            // The refused requests changed nothing.
            #expect(try await running.ask(.get, "/v1/me", token: device).status == 200)
            #expect(running.daemon.accounts.devices.map(\.name) == ["ann"])
            let token = try await Self.session(running)
            for (path, status) in [
                ("/v1/me", 401), ("/v1/shares/\(token)/latest", 404), ("/s/\(token)", 404),
                ("/alert/\(token)", 404), ("/in/hr/\(token)", 401),
            ] {
                let method: HTTPRequest.Method = path.hasPrefix("/in/") ? .post : .get
                let answer = try await running.ask(method, path, token: token)
                #expect(answer.status == status, "\(path)")
            }
        }
    }

    @Test func `A form of another site is refused and does not use up the link`()
        async throws
    {
        try await RunningDaemon.run { running in
            let secret = try await Self.link(running)
            for type in ["text/plain", "application/x-www-form-urlencoded", ""] {
                let refused = try await Self.open(running, secret, fields: ["Content-Type": type])
                #expect(refused.status == 400)
            }
            let preflight = try await running.ask(
                .options, "/v1/admin/sessions", fields: ["Origin": "https://evil.example"])
            #expect(preflight.status == 405)
            #expect(preflight.fields["access-control-allow-origin"] == nil)
            let opened = try await Self.open(running, secret)
            #expect(opened.status == 201 && opened.fields["set-cookie"] == nil)
            #expect(opened.fields["cache-control"] == "no-store")
            #expect(opened.object["sessionSeconds"] as? Int == 3600)
        }
    }

    @Test func `Wrong secrets are counted as guesses, and a right one still opens`() async throws {
        try await RunningDaemon.run {
            $0.bounds.failuresPerMinuteMax = 3
        } _: { running in
            var statuses: [Int] = []
            for _ in 0..<3 {
                statuses.append(try await Self.open(running, Self.unknownSecret).status)
                let asked = try await running.ask(
                    .get, "/v1/admin/health", token: Self.unknownSecret)
                statuses.append(asked.status)
            }
            #expect(statuses == [401, 401, 401, 429, 429, 429])
            let token = try await Self.session(running)
            let health = try await running.ask(.get, "/v1/admin/health", token: token)
            #expect(health.status == 200)
        }
    }

    @Test func `Four sessions are open at once, and a restart ends them all`() async throws {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var tokens: [String] = []
        try await RunningDaemon.again(in: folder) { running in
            for _ in 0..<5 { tokens.append(try await Self.session(running)) }
            var statuses: [Int] = []
            for token in tokens {
                statuses.append(
                    try await running.ask(.get, "/v1/admin/health", token: token).status)
            }
            #expect(statuses == [401, 200, 200, 200, 200])
        }
        try await RunningDaemon.again(in: folder) { running in
            for token in tokens {
                let answer = try await running.ask(.get, "/v1/admin/health", token: token)
                #expect(answer.status == 401)
            }
            let token = try await Self.session(running)
            let link = try await Self.link(running)
            #expect(try await running.admin(.delete, "/admin-links").status == 204)
            #expect(try await Self.open(running, link).status == 401)
            let answer = try await running.ask(.get, "/v1/admin/health", token: token)
            #expect(answer.status == 401)
        }
    }

    @Test func `Body and duration are bounded`() async throws {
        try await RunningDaemon.run { running in
            let link = try await Self.link(running)
            let long = #"{"secret":"\#(link)"\#(String(repeating: " ", count: 1024))}"#
            let answer = try await running.ask(
                .post, "/v1/admin/sessions", fields: Self.json, body: long)
            #expect(answer.status == 413)
            for expires in ["59s", "25h", "0h", "-1h", "1", ""] {
                let made = try await running.admin(
                    .post, "/admin-links", #"{"expires":"\#(expires)"}"#)
                #expect(made.status == 400 && made.text.contains("1m to 24h"), "\(expires)")
            }
        }
    }

    // MARK: Allowed routes

    @Test func `A session cannot reach other routes of the admin socket`() async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            _ = try running.addShare(of: "ann") { $0.name = "link" }
            let token = try await Self.session(running)
            for (method, path) in [
                (.get, "/sessions/latest"), (.get, "/agreement"), (.get, "/listeners"),
                (.get, "/metrics"), (.post, "/shares/link/reveal"), (.post, "/shares/link/rotate"),
                (.post, "/shares/link/code"), (.get, "/shares/link/opens"),
                (.get, "/devices/ann/zones"), (.get, "/devices/ann/training"),
                (.post, "/devices/ann/commands"), (.post, "/admin-links"),
            ] as [(HTTPRequest.Method, String)] {
                let answer = try await running.ask(method, "/v1/admin" + path, token: token)
                #expect(answer.status == 404, "\(path)")
            }
        }
    }

    @Test func `A session administers devices and links, and sees no link's secret`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try await Self.session(running)
            func ask(
                _ method: HTTPRequest.Method, _ path: String, _ body: String = ""
            ) async throws -> HTTPClient.Answer {
                let answer = try await running.ask(
                    method, "/v1/admin" + path, token: token, fields: Self.json, body: body)
                #expect(answer.fields["cache-control"] == "no-store")
                return answer
            }
            let made = try await ask(.post, "/devices", #"{"device":"ann b"}"#)
            let first = try #require(made.object["token"] as? String)
            let setup = try await ask(
                .post, "/devices/ann%20b/setup", #"{"app":"browser","token":"\#(first)"}"#)
            #expect((setup.object["link"] as? String)?.hasSuffix("/record#\(first)") == true)
            let rotated = try await ask(.post, "/devices/ann%20b/rotate")
            let second = try #require(rotated.object["token"] as? String)
            #expect(try await running.ask(.get, "/v1/me", token: first).status == 401)
            #expect(try await running.ask(.get, "/v1/me", token: second).status == 200)
            let id = try running.addShare(of: "ann b") { $0.name = "link" }
            let shares = try await ask(.get, "/shares")
            #expect(shares.list.map { $0["state"] as? String } == ["active"])
            #expect(!shares.text.contains(id))
            let health = try await ask(.get, "/health")
            #expect((health.object["troubles"] as? [String])?.isEmpty == true)
            #expect((health.object["diskFreeBytes"] as? Int ?? 0) > 0)
            #expect(health.object["version"] as? String == Version.text)
            #expect(health.object["retentionSeconds"] is NSNull)
            #expect(try await ask(.post, "/shares/ann%20b:link/revoke").status == 204)
            #expect(try await running.ask(.get, "/v1/shares/\(id)/latest").status == 404)
            #expect(try await ask(.post, "/devices/ann%20b/revoke").status == 204)
            #expect(try await running.ask(.get, "/v1/me", token: second).status == 401)
            #expect(try await ask(.delete, "/devices/ann%20b").status == 200)
            #expect(try await ask(.get, "/devices").list.isEmpty)
        }
    }

    @Test func `No link is made if neither this machine nor a proxy reaches the page`() async throws
    {
        try await RunningDaemon.run { running in
            var configuration = running.daemon.configuration
            configuration.http.publicURL = "http://192.168.1.5:7480"
            running.daemon.address.set(
                configuration: configuration, addresses: ["http": "192.168.1.5:7480"])
            let made = try await running.admin(.post, "/admin-links")
            #expect(made.status == 409 && made.text.contains("http.trusted_proxies"))
        }
    }
}
