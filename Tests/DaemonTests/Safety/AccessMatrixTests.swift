import Client
import Foundation
import SensorModel
import Sharing
import Testing
import Transport

@testable import Daemon
@testable import Runtime

/// The access matrix: one request for each combination of role, route and state.
@Suite(.serialized) struct AccessMatrixTests {
    private static let session = SessionID(high: 0x4011, low: 1 << 63)

    struct Route {
        let method: HTTPRequest.Method
        /// The route's path; `ID` stands for the client's token or share ID.
        let path: String
        var fields: HTTPFields = [:]
        var body = ""
        /// Statuses allowed with an active share or the owner's token.
        let allowed: Set<Int>

        init(
            _ method: HTTPRequest.Method, _ path: String, allowed: Set<Int> = [200],
            body: String = "", fields: HTTPFields = [:]
        ) {
            self.method = method
            self.path = path
            self.allowed = allowed
            self.body = body
            self.fields = fields
        }
    }

    private static let upgrade: HTTPFields = [
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]
    private static let html: HTTPFields = ["Accept": "text/html"]

    /// Routes authorized by a share's ID.
    static let viewerRoutes: [Route] = [
        Route(.get, "/s/ID"), Route(.get, "/s/ID", fields: html), Route(.head, "/s/ID"),
        Route(.get, "/?share=ID"), Route(.get, "/overlay/ID"),
        Route(.get, "/overlay/ID", fields: html), Route(.get, "/overlay/ID/setup"),
        Route(.get, "/overlay/ID/setup", fields: html), Route(.get, "/v1/shares/ID/latest"),
        Route(.head, "/v1/shares/ID/latest"), Route(.get, "/v1/shares/ID/history"),
        Route(.get, "/v1/shares/ID/history?limit=5"), Route(.head, "/v1/shares/ID/events"),
        Route(.get, "/v1/shares/ID/overview"),
        Route(.get, "/v1/shares/ID/overview?points=9", fields: ["Accept-Encoding": "gzip"]),
        Route(.post, "/v1/shares/ID/cheer", allowed: [204], body: #"{"text":"go"}"#),
        Route(.get, "/publicStreams/ID/latest.json"),
        Route(.get, "/publicStreams/ID/heartRate.json"),
        // A successful upgrade has no finite answer; only refusals, which come first, are tested.
        Route(.get, "/v1/shares/ID/live", allowed: [426]),
    ]

    /// A credential that a client may present in place of an active share's ID.
    enum Held: String, CaseIterable {
        case active, otherRunners, unknown, revoked, expired, rotatedAway, tooLong, empty
        case deviceToken, shareName
    }

    @Test func `An ID opens what it is of, and all that open nothing are answered alike`()
        async throws
    {
        try await RunningDaemon.run { running in
            let held = try await Self.prepare(running)
            var cells = 0
            for route in Self.viewerRoutes {
                var refusals: [String: [Held]] = [:]
                for what in Held.allCases {
                    guard let id = held[what] else { continue }
                    let answer = try await Self.ask(running, route, with: id)
                    cells += 1
                    let isOpen = what == .active || what == .otherRunners
                    if isOpen {
                        #expect(
                            route.allowed.contains(answer.status),
                            "\(route.method) \(route.path) \(what): \(answer.status)")
                    } else if route.path != "/v1/shares/ID/live" {
                        #expect(
                            answer.status == 404,
                            "\(route.method) \(route.path) \(what): \(answer.status)")
                        // An empty ID makes another path, which belongs to nobody.
                        if what != .empty { refusals[Self.bytes(answer), default: []].append(what) }
                    }
                }
                #expect(refusals.count <= 1, "\(route.path): \(refusals.values)")
            }
            #expect(cells >= 150)
        }
    }

    @Test func `An upgrade with an ID that opens nothing gets the same bytes, whichever it is`()
        async throws
    {
        try await RunningDaemon.run { running in
            let held = try await Self.prepare(running)
            var refusals: Set<String> = []
            for what in [Held.unknown, .revoked, .expired, .rotatedAway, .deviceToken, .tooLong] {
                let id = held[what] ?? ""
                let route = Route(.get, "/v1/shares/ID/live", fields: Self.upgrade)
                let answer = try await Self.ask(running, route, with: id)
                #expect(answer.status == 404)
                refusals.insert(Self.bytes(answer))
            }
            #expect(refusals.count == 1)
        }
    }

    /// Routes authorized by a device's token as Bearer.
    static let ownerRoutes: [Route] = [
        Route(.get, "/v1/me"), Route(.get, "/v1/me/sessions"),
        Route(.get, "/v1/me/sessions?search=a"), Route(.get, "/v1/me/sessions/SESSION"),
        Route(.put, "/v1/me/sessions/SESSION", body: #"{"name":"ann.lee's"}"#),
        Route(.get, "/v1/me/sessions/SESSION/export?format=csv"), Route(.get, "/v1/me/shares"),
        Route(.get, "/v1/me/shares/link/opens"), Route(.get, "/v1/me/profile"),
        Route(.get, "/v1/me/training"), Route(.get, "/v1/me/archive?format=csv"),
        Route(.put, "/v1/me/profile", body: "{}"), Route(.get, "/v1/me/zones"),
        Route(.put, "/v1/me/zones", body: "{}"), Route(.get, "/v1/me/course", allowed: [404]),
        Route(.get, "/v1/me/receivers"),
        Route(
            .put, "/v1/me/receivers/mum",
            body: #"{"kind":"ntfy","address":"https://ntfy.example/x"}"#),
        Route(.delete, "/v1/me/receivers/mum", allowed: [204]),
        Route(.delete, "/v1/me", allowed: [400], body: #"{"device":"nobody"}"#),
        Route(.get, "/v1/me/groups"),
        Route(.post, "/v1/me/groups", allowed: [201], body: "{}"),
        Route(
            .post, "/v1/me/groups/join", allowed: [404], body: #"{"invitation":"x"}"#),
        Route(.delete, "/v1/me/groups/GROUP", allowed: [404]),
        Route(.post, "/v1/me/groups/GROUP/invite", allowed: [404], body: "{}"),
        Route(.post, "/v1/me/groups/GROUP/rotate", allowed: [404]),
        Route(.delete, "/v1/me/groups/GROUP/members/1", allowed: [404]),
        Route(.post, "/v1/me/shares/link/code", allowed: [201], body: "{}"),
        Route(.post, "/v1/me/shares/link/rotate"),
        Route(.get, "/v1/me/targets"),
        Route(
            .put, "/v1/me/targets/diary",
            body: #"{"kind":"webhook","address":"https://diary.example/x"}"#),
        Route(.get, "/v1/me/deliveries"),
        Route(
            .post, "/v1/me/deliveries", allowed: [409],
            body: #"{"session":"latest","target":"diary"}"#),
        Route(.delete, "/v1/me/targets/diary", allowed: [204]),
        Route(.post, "/v1/me/commands", allowed: [202], body: #"{"command":"lap"}"#),
        Route(.post, "/v1/me/shares", allowed: [201], body: "{}"),
        Route(.delete, "/v1/me/shares/link", allowed: [204]),
        Route(.delete, "/v1/me/sessions/SESSION"),
    ]

    enum Asker: CaseIterable {
        case nobody, wrongToken, revokedDevice, rotatedToken, shareID, otherDevice, owner
    }

    /// Whether the route names objects of one runner, which must look missing to others.
    private static func isOfOne(_ route: Route) -> Bool {
        route.path.contains("SESSION") || route.path.contains("/link")
            || route.body.contains("latest")
    }

    @Test func `A token opens its own device's account, and nothing of another's`() async throws {
        try await RunningDaemon.run { running in
            let held = try await Self.prepare(running)
            let rotated = try running.addDevice("cid")
            let owner = try #require(held[.deviceToken])
            let other = try running.addDevice("dan")
            _ = try running.daemon.administration.rotateDevice(named: "cid")
            let revoked = try running.addDevice("eve")
            try running.daemon.administration.revokeDevice(named: "eve")
            let tokens: [Asker: String] = [
                .wrongToken: "pc_" + String(repeating: "A", count: 43), .revokedDevice: revoked,
                .rotatedToken: rotated, .shareID: held[.active] ?? "", .otherDevice: other,
                .owner: owner,
            ]
            var cells = 0
            for route in Self.ownerRoutes {
                for asker in Asker.allCases {
                    let path = route.path.replacing("SESSION", with: "\(Self.session)")
                    let answer = try await running.ask(
                        route.method, path, token: tokens[asker], body: route.body)
                    cells += 1
                    let isRight =
                        switch asker {
                        case .owner: route.allowed.contains(answer.status)
                        case .otherDevice where Self.isOfOne(route): answer.status == 404
                        case .otherDevice: route.allowed.contains(answer.status)
                        default: answer.status == 401
                        }
                    #expect(isRight, "\(asker) \(route.method) \(path): \(answer.status)")
                    if asker == .otherDevice { #expect(!answer.text.contains("ann.lee")) }
                }
            }
            #expect(cells >= 100)
        }
    }

    @Test(arguments: PushFormats.all)
    func `A push with anything but a device's token is refused and recorded nowhere`(
        format: String
    ) async throws {
        try await RunningDaemon.run { running in
            let held = try await Self.prepare(running)
            let wrong = [Held.active, .unknown, .revoked, .shareName].map { held[$0] ?? "" }
            let before = try await running.admin(.get, "/sessions").text
            for token in wrong + ["pc_" + String(repeating: "A", count: 43)] {
                let answer = try await running.ask(.post, "/in/\(format)/\(token)", body: "{}")
                #expect(answer.status == (format == "sensorlogger" ? 499 : 401), "\(token)")
            }
            #expect(try await running.admin(.get, "/sessions").text == before)
        }
    }

    // MARK: - Request values

    private static func prepare(_ running: RunningDaemon) async throws -> [Held: String] {
        // No random ID has a dot.
        let token = try running.addDevice("ann.lee")
        _ = try running.addDevice("bob")
        try await running.sendHeartRates([140, 141], token: token, session: session)
        var held: [Held: String] = [
            .unknown: String(repeating: "A", count: 22), .empty: "", .deviceToken: token,
            .tooLong: String(repeating: "A", count: 300), .shareName: "link",
        ]
        held[.active] = try running.addShare(of: "ann.lee") { $0.name = "link" }
        held[.otherRunners] = try running.addShare(of: "bob")
        held[.revoked] = try running.addShare(of: "ann.lee") { $0.name = "old" }
        held[.expired] = try running.addShare(of: "ann.lee") { $0.expiresInSeconds = 0.01 }
        held[.rotatedAway] = try running.addShare(of: "ann.lee") { $0.name = "turned" }
        let administration = running.daemon.administration
        for share in running.daemon.accounts.shares {
            if share.name == "old" { try administration.revokeShare(share) }
            if share.name == "turned" { _ = try administration.rotateShare(share) }
        }
        try await Task.sleep(for: .milliseconds(20))
        return held
    }

    private static func ask(
        _ running: RunningDaemon, _ route: Route, with id: String
    ) async throws -> HTTPClient.Answer {
        try await running.ask(
            route.method, route.path.replacing("ID", with: id), fields: route.fields,
            body: route.body)
    }

    /// The whole answer without its date.
    private static func bytes(_ answer: HTTPClient.Answer) -> String {
        let fields = answer.fields.fields.filter { $0.name.lowercased() != "date" }
        return "\(answer.status) \(fields) \(answer.text)"
    }
}

enum PushFormats {
    static let all = [
        "sensorlogger", "owntracks", "overland", "osmand", "gpslogger", "hr", "hrpush", "runnerup",
        "hds",
    ]
}
