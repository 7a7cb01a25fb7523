import Client
import SensorModel
import Testing
import Transport

@testable import Daemon
@testable import Runtime

/// Limits on the body length of each route: reading a body delays other requests.
@Suite(.serialized) struct BodyBoundsTests {
    /// Whether the route accepts files.
    private static func takesFiles(_ pattern: String) -> Bool {
        pattern.contains(" /in/")
            || ["PUT /v1/me/course", "POST /v1/me/import"].contains(pattern)
    }

    @Test func `Only files are longer than a setting`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            let routes = running.daemon.server.routes(of: "http").filter {
                $0.hasPrefix("POST ") || $0.hasPrefix("PUT ")
            }
            #expect(routes.count > 20)
            let body = "{" + String(repeating: " ", count: Router.bodyBytesMax) + "}"
            for route in routes {
                let parts = route.split(separator: " ").map(String.init)
                let method: HTTPRequest.Method = parts[0] == "POST" ? .post : .put
                let path = parts[1].replacing(":share", with: share)
                    .replacing(":token", with: token).replacing(":name", with: "x")
                let answer = try await running.ask(method, path, token: token, body: body)
                #expect((answer.status == 413) == !Self.takesFiles(route), "\(route)")
            }
        }
    }

    @Test(arguments: [("/c", 1024), ("/v1/shares/SHARE/cheer", 4096)])
    func `What strangers and viewers say is short`(path: String, bytesMax: Int) async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            let path = path.replacing("SHARE", with: share)
            for (count, isRefused) in [(bytesMax, false), (bytesMax + 1, true)] {
                let body = "{" + String(repeating: " ", count: count - 2) + "}"
                let answer = try await running.ask(.post, path, body: body)
                #expect((answer.status == 413) == isRefused)
            }
        }
    }

    @Test func `Long bodies of one device take turns, and those beyond come back later`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let gpx = "<gpx>" + String(repeating: "<a/>", count: 200_000)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        try await running.ask(.put, "/v1/me/course", token: token, body: gpx).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // The body is not a course, or too many came at once.
            #expect(Set(statuses).isSubset(of: [400, 429, 503]) && statuses.contains(400))
        }
    }

    /// The server reads the form before it has authenticated the client.
    @Test func `A long form holds no token`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            for (padding, status) in [(1000, 200), (5000, 401)] {
                let form = "token=\(token)&rate=72&note=" + String(repeating: "x", count: padding)
                let answer = try await running.ask(
                    .post, "/in/hr", fields: ["Content-Type": "application/x-www-form-urlencoded"],
                    body: form)
                #expect(answer.status == status)
            }
        }
    }
}
