import Client
import Runtime
import SegmentLog
import SensorModel
import Sessions
import Testing

@testable import API

@Suite struct DeliveryOutcomeTests {
    private enum Kind {
        case delivered, retry, failed, gone

        init(_ outcome: DeliveryOutcome) {
            self =
                switch outcome {
                case .delivered: .delivered
                case .retry: .retry
                case .failed: .failed
                case .gone: .gone
                }
        }
    }

    @Test func `A server's answer says whether another try can help`() {
        let rows: [(statuses: [Int], kind: Kind)] = [
            ([200, 201, 202, 204], .delivered), ([408, 425, 429, 500, 502, 503], .retry),
            ([301, 302, 308, 400, 401, 403, 404, 409, 413, 415, 422], .failed),
        ]
        for row in rows {
            for status in row.statuses {
                let outcome = DeliveryOutcome(status: status, body: [])
                #expect(Kind(outcome) == row.kind, "\(status)")
            }
        }
    }

    @Test func `A server's own words are said, cleaned and cut`() {
        let body = #"{"status":"fail","message":"no valid segments\n\#u{202E}with GPS"}"#
        #expect(
            DeliveryOutcome(status: 400, body: Array(body.utf8))
                == .failed("its server refused the file (400): no valid segments with GPS"))
        let long = #"{"message":"\#(String(repeating: "x", count: 5000))"}"#
        guard case .retry(let reason) = DeliveryOutcome(status: 500, body: Array(long.utf8)) else {
            Issue.record("a server's error can pass")
            return
        }
        #expect(reason.count < 200)
        #expect(
            DeliveryOutcome(status: 413, body: [0xFF, 0x00])
                == .failed("the file is too large for its server (413)"))
    }

    @Test func `Reading that fails is tried again, but not of a session that is gone`() {
        let session = SessionID(high: 1, low: 2)
        let rows: [(error: any Error, kind: Kind)] = [
            (ReadRefusal.tooLong, .failed), (ReadRefusal.busy, .retry),
            (ReadRefusal.tooMany, .retry), (SessionReadError.unknownSession(session), .gone),
            (SessionReadError.headMissing(RecordOffset(rawValue: 3)), .retry),
            (ClientError.connectionLost, .retry),
            (ClientError.notTrusted(reason: "it is for another name"), .retry),
        ]
        for row in rows { #expect(Kind(DeliveryOutcome(row.error)) == row.kind, "\(row.error)") }
    }

    @Test func `It is tried over some days, ever more seldom, and then no more`() {
        var generator = SystemRandomNumberGenerator()
        let waits = (1...DeliveryOutcome.triesMax).map {
            DeliveryOutcome.secondsBeforeRetry(tries: $0, using: &generator)
        }
        #expect(waits.last == .some(nil))
        let seconds = waits.compactMap { $0 }
        #expect(seconds.count == DeliveryOutcome.triesMax - 1)
        #expect(seconds[0] >= 48 && seconds[0] <= 72)
        #expect(seconds.reduce(0, +) > 3 * 86_400 && seconds.reduce(0, +) < 7 * 86_400)
    }
}
