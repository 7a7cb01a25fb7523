import Client
import Testing
import Transport

@Suite(.serialized) struct UnknownRouteTests {
    @Test func `A path below /v1/me that is no route says so, the same to everybody`() async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let wrong = String(repeating: "A", count: token.count)
            for path in ["/v1/me/nothing", "/v1/me/", "/v1/me/shares/x/y/z"] {
                let mine = try await running.ask(.get, path, token: token)
                #expect(mine.status == 404 && mine.text.contains("no such route"), "\(mine.text)")
                for token in [wrong, nil] {
                    let other = try await running.ask(.get, path, token: token)
                    #expect(other.status == 404 && other.body == mine.body)
                }
            }
            let elsewhere = try await running.ask(.get, "/v1/nothing", token: token)
            #expect(elsewhere.text.contains("unknown share"))
        }
    }
}
