import Client
import Testing
import Transport

@testable import Daemon
@testable import Runtime

/// Where owners may have their finished runs delivered.
@Suite struct DeliveryTargetRoutesTests {
    @Test(arguments: [
        (#"{"kind":"webhook","address":"http://example.org/hook"}"#, 400, "https"),
        (#"{"kind":"webhook","address":"https://169.254.169.254/latest"}"#, 400, "internet"),
        (#"{"kind":"webhook","address":"unix:///run/pulsecast/admin.sock"}"#, 400, "https"),
        (#"{"kind":"webhook"}"#, 400, "https"),
        (#"{"kind":"mail","address":"https://a.example"}"#, 400, "webhook, folder"),
        (#"{"kind":"folder"}"#, 409, "deliveries.folder"),
        (#"{"kind":"folder","address":"/etc"}"#, 400, "the daemon has the folder"),
        (#"{"kind":"intervals"}"#, 400, "API key"),
        (#"{"kind":"fittrackee","address":"https://a.example","secret":"a:b"}"#, 400, "ID:SECRET"),
        (
            #"{"kind":"fittrackee","address":"https://a.example","secret":"a","sport":0}"#, 400,
            "1 to 999"
        ),
        (#"{"kind":"intervals","secret":"a b"}"#, 400, "ASCII"),
        (#"{"kind":"webhook","address":"https://a.example","path":"/etc"}"#, 400, "no field"),
    ])
    func `What no run can be delivered to, or none should, is refused`(
        body: String, status: Int, reason: String
    ) async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let answer = try await running.askMe(.put, "/targets/t", body, token: token)
            #expect(
                answer.status == status && answer.text.contains(reason), "\(answer.text)")
            #expect(try await running.askMe(.get, "/targets", token: token).list.isEmpty)
        }
    }

    @Test func `A secret stays with its address, and goes to no other`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            func put(_ body: String) async throws -> HTTPClient.Answer {
                try await running.askMe(.put, "/targets/t", body, token: token)
            }
            let address = #""kind":"fittrackee","address":"https://a.example""#
            #expect(try await put(#"{\#(address),"secret":"tk"}"#).status == 200)
            let kept = try await put(#"{\#(address),"sport":6}"#)
            #expect(kept.object["hasSecret"] as? Bool == true && kept.object["sport"] as? Int == 6)
            let other = try await put(#"{"kind":"fittrackee","address":"https://b.example"}"#)
            #expect(other.status == 400)
            let hook = try await put(#"{"kind":"webhook","address":"https://a.example"}"#)
            #expect(hook.object["hasSecret"] as? Bool == false)
        }
    }
}
