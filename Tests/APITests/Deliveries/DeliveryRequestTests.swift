import Client
import Foundation
import Registry
import SensorModel
import Testing
import Transport

@testable import API

@Suite struct DeliveryRequestTests {
    private static let run = DeliveredRun(
        session: SessionID(high: 0x1A2B_3C4D_0000_0000, low: 7), device: "my watch",
        name: "Lauf & \"Wald\" 🏃",
        times: Timestamp(
            microseconds: 1_763_700_000_250_000)...Timestamp(
                microseconds: 1_763_703_600_000_000))

    private static func request(
        _ kind: DeliveryTarget.Kind, _ address: String, secret: String? = nil
    ) throws -> DeliveryRequest {
        let target = DeliveryTarget(
            name: "t", kind: kind, address: address, secret: secret,
            madeAt: Timestamp(microseconds: 0))
        return try DeliveryRequest(run, to: target, delivery: "d-1", boundary: "BOUND")
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `A webhook gets a form with what the run is, and the file`() throws {
        let request = try Self.request(.webhook, "https://hook.example/a?b=c")
        #expect(request.path == "/a?b=c")
        #expect(request.fields["X-Pulsecast-Delivery"] == "d-1")
        #expect(request.fields["Content-Type"] == "multipart/form-data; boundary=BOUND")
        let body = Self.text(request.head)
        let values = [
            "session": "1a2b3c4d-0000-0000-0000-000000000007", "device": "my watch",
            "startedAt": "1763700000.25", "endedAt": "1763703600.0", "name": "Lauf & \"Wald\" 🏃",
        ]
        for (name, value) in values {
            let part = "--BOUND\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n"
            #expect(body.contains("\(part)\(value)\r\n"), "\(name)")
        }
        #expect(
            body.hasSuffix(
                "name=\"file\"; filename=\"20251121T044000Z-1a2b3c4d-0000-0000-0000-000000000007.fit"
                    + "\"\r\n"
                    + "Content-Type: application/vnd.ant.fit\r\n\r\n"))
        #expect(Self.text(request.tail) == "\r\n--BOUND--\r\n")
    }

    @Test func `intervals.icu gets the file, the name, and an ID by which it knows it again`()
        throws
    {
        let request = try Self.request(.intervals, "", secret: "key1")
        #expect("\(request.address)" == "https://intervals.icu")
        #expect(
            request.path == "/api/v1/athlete/0/activities"
                + "?external_id=1a2b3c4d-0000-0000-0000-000000000007"
                + "&name=Lauf%20%26%20%22Wald%22%20%F0%9F%8F%83")
        let user = Data("API_KEY:key1".utf8).base64EncodedString()
        #expect(request.fields["Authorization"] == "Basic \(user)")
        #expect(Self.text(request.head).components(separatedBy: "name=\"").count == 3)
    }

    @Test func `FitTrackee gets the file and a workout, also below a path`() throws {
        let request = try Self.request(.fittrackee, "https://runs.example/ft/", secret: "tk")
        #expect(request.path == "/ft/api/workouts")
        #expect(request.fields["Authorization"] == "Bearer tk")
        let parts = Self.text(request.head).components(separatedBy: "\r\n")
        let json = try #require(parts.first { $0.hasPrefix("{") })
        let workout = try #require(
            JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(workout["sport_id"] as? Int == 5)
        #expect(workout["title"] as? String == Self.run.name)
        #expect(
            workout["notes"] as? String == "Pulsecast 1a2b3c4d-0000-0000-0000-000000000007")
    }

    @Test func `A renewed access token keeps what renews the next`() {
        var secret = FitTrackeeSecret("id:secret:refresh")
        #expect(secret.accessToken == nil)
        secret.renew("access", refreshToken: "refresh2")
        #expect(secret.text == "id:secret:refresh2:access")
        var again = FitTrackeeSecret(secret.text)
        #expect(again == secret)
        again.renew("access2", refreshToken: nil)
        #expect(again.text == "id:secret:refresh2:access2")
        var plain = FitTrackeeSecret("tk")
        plain.renew("other", refreshToken: nil)
        #expect(plain.text == "tk" && plain.client == nil)
        for bad in ["", "a:b", "a::c", "a:b:c:d"] { #expect(!FitTrackeeSecret.isGiven(bad)) }
    }

    @Test(arguments: [
        ("ann", "ann"), ("..", "_.."), (".hidden", "_.hidden"), (".", "_."), ("_a", "__a"),
    ])
    func `A device's folder is below the daemon's, not hidden, and no other's`(
        device: String, name: String
    ) {
        #expect(DeliveryFolder.folderName(of: device) == name)
    }
}
