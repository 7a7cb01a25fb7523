import Client
import Foundation
import Runtime
import Secrets
import SensorModel
import Testing

@testable import API
import Transport

@Suite(.serialized) struct WebhooksTests {
    private static let session = SessionID(high: 0x4004, low: 1 << 63)

    @Test func `Start and end of a session are told, signed, and again where that failed`()
        async throws
    {
        let secretFile = NSTemporaryDirectory() + "secret-\(UInt32.random(in: 0 ... .max))"
        try "Jefe\n".write(toFile: secretFile, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: secretFile) }
        let receiver = ReceivingServer(statuses: [503])
        try await receiver.run { url in
            try await RunningDaemon.run({
                $0.webhook.url = url
                $0.webhook.secretFile = secretFile
                $0.ingest.silenceSeconds = 1
            }) { running in
                let token = try running.addDevice("ann")
                try await running.sendHeartRates([120], token: token, session: Self.session)
                #expect(try await running.eventually { receiver.requests.count >= 3 })
            }
        }
        let bodies = receiver.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies.count == 3)
        #expect(bodies[0] == bodies[1])
        #expect(bodies[0].contains(#""device":"ann""#))
        #expect(bodies[0].contains(#""event":"sessionStarted""#))
        #expect(bodies[2].contains(#""event":"sessionEnded""#))
        for request in receiver.requests {
            let code = "sha256=" + MessageCode.signature(of: request.body, key: Array("Jefe".utf8))
            #expect(request.fields["x-pulsecast-signature"] == code)
            #expect(request.fields["content-type"] == "application/json")
        }
        let deliveries = receiver.requests.map { $0.fields["x-pulsecast-delivery"] ?? "" }
        #expect(deliveries[0] == deliveries[1])
        #expect(deliveries[1] != deliveries[2])
    }

    @Test func `A delivery waits longer each time, and is given up after three retries`() {
        var generator = SystemRandomNumberGenerator()
        for (failures, seconds) in [(1, 1.0), (2, 2), (3, 4)] {
            for status in [nil, 500, 503, 408, 429, 302] {
                let wait = WebhookSchedule.secondsBeforeRetry(
                    failures: failures, status: status, using: &generator)
                #expect(wait.map { (seconds / 2...seconds * 1.5).contains($0) } == true)
            }
        }
        for (failures, status) in [(4, 500), (1, 404), (1, 400), (1, 410)] {
            let wait = WebhookSchedule.secondsBeforeRetry(
                failures: failures, status: status, using: &generator)
            #expect(wait == nil)
        }
    }

    @Test func `A split and an alert are told with what they say; the rest is not`() throws {
        let time = Timestamp(microseconds: 1_763_700_000_000_000)
        func text(_ kind: StreamEvent.Kind) throws -> String? {
            WebhookEvent(
                StreamEvent(deviceTime: time, kind: kind), device: "ann", session: Self.session
            ).map { JSONBody.text($0) }
        }
        let split = Split(
            unit: .kilometer, number: 2, seconds: 331.5, averageHeartRate: nil,
            elevationMeters: 3)
        #expect(
            try text(.split(split))
                == #"{"device":"ann","event":"split","session":"\#(Self.session)","#
                + #""split":{"elevationMeters":3,"km":2,"seconds":331.5},"time":1763700000}"#)
        let alert = Alert(kind: .fall, severity: .emergency, phase: .triggered)
        #expect(try text(.alert(alert))?.contains(#""kind":"fall""#) == true)
        #expect(try text(.marker("x")) == nil)
    }

    @Test func `An address that is none is a wrong configuration`() async throws {
        await #expect(throws: ClientError.badAddress("ftp://x/")) {
            try await RunningDaemon.run({ $0.webhook.url = "ftp://x/" }) { _ in }
        }
    }
}
