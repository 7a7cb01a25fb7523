import Foundation
import SensorModel
import Testing

@testable import Sharing

/// Formats that other programs read, with the spelling of their documentation.
@Suite struct ReaderTests {
    static let reading = HeartRateReading(
        beatsPerMinute: 72, measuredAt: Timestamp(microseconds: 1_625_310_655_123_456),
        state: .live, source: "Polar \"H10\"")

    @Test func `Pulsoid's object, text and refusals`() {
        #expect(
            Fixture.text(Pulsoid.object(Self.reading))
                == #"{"measured_at":1625310655123,"data":{"heart_rate":72}}"#)
        #expect(Fixture.text(Pulsoid.plainText(Self.reading)) == "72")
        #expect(
            Fixture.text(Pulsoid.Refusal.tokenNotFound.body)
                == #"{"error_code":"7005","error_message":"token_not_found"}"#)
        #expect(Pulsoid.Refusal.allCases.map(\.status) == [403, 403, 403, 412])
        #expect(
            Fixture.text(Pulsoid.validation(profile: "anna", expiresInSeconds: 60))
                == #"{"client_id":"pulsecast","expires_in":60,"profile_id":"anna","#
                + #""scopes":["data:heart_rate:read"]}"#)
    }

    @Test(arguments: [
        (ValueState.live, "72"), (.paused, "72"), (.stale, "null"), (.waiting, "null"),
        (.ended, "null"),
    ])
    func `HypeRate's update says null for a device that is offline`(
        state: ValueState, spelled: String
    ) {
        var reading = Self.reading
        reading.state = state
        #expect(
            Fixture.text(HypeRate.update(identifier: "abc", reading))
                == #"{"topic":"hr:abc","event":"hr_update","payload":{"hr":\#(spelled)},"ref":null}"#
        )
    }

    @Test func `HypeRate's replies carry the request's reference`() {
        #expect(
            Fixture.text(HypeRate.reply(topic: "hr:abc", reference: 3, accepted: true))
                == #"{"topic":"hr:abc","event":"phx_reply","payload":{"status":"ok","response":{}},"ref":3}"#
        )
        let refused = HypeRate.reply(topic: "x", reference: nil, accepted: false)
        #expect(Fixture.text(refused).contains(#""status":"error""#))
        #expect(Fixture.text(HypeRate.update(identifier: "abc", nil)).contains("null}"))
    }

    @Test func `publicStreams has the schema of its viewer`() throws {
        #expect(
            Fixture.text(PublicStreams.latest(Self.reading))
                == #"{"bpm":72,"start":"2021-07-03T11:10:55Z","end":"2021-07-03T11:10:55Z","#
                + #""source":"Polar \"H10\""}"#)
        #expect(Fixture.text(PublicStreams.latest(nil)) == "null")
        var later = Self.reading
        later.measuredAt = later.measuredAt.advanced(bySeconds: 1)
        let history = PublicStreams.history([Self.reading, Self.reading, later])
        #expect(try Fixture.object(history).keys.sorted() == ["1625310655123", "1625310656123"])
        #expect(Fixture.text(PublicStreams.history([])) == "null")
        #expect(
            Fixture.text(PublicStreams.put(Array("null".utf8)))
                == "event: put\ndata: {\"path\":\"/\",\"data\":null}\n\n")
    }

    @Test func `A reading starts where the one shown before it ends`() throws {
        func reading(_ second: Double, _ state: ValueState = .live) -> HeartRateReading {
            var reading = Self.reading
            reading.measuredAt = reading.measuredAt.advanced(bySeconds: second)
            reading.state = state
            return reading
        }
        let first = reading(0)
        let second = reading(5).following(first)
        let text = Fixture.text(PublicStreams.latest(second))
        #expect(
            text.contains(#""start":"2021-07-03T11:10:55Z","end":"2021-07-03T11:11:00Z""#))
        // The same sample in later metrics keeps its start.
        #expect(reading(5).following(second).startedAt == first.measuredAt)
        // After a hidden or silent stretch a reading says nothing of the time before it.
        #expect(reading(5).following(first.outdated).startedAt == nil)
        #expect(reading(5).following(nil).startedAt == nil)
        #expect(reading(16).following(first).startedAt == nil)
        #expect(reading(-1).following(first).startedAt == nil)
        var run = [first, second]
        HeartRateReading.startFirst(of: &run)
        #expect(
            run.map(\.startedAt) == [first.measuredAt.advanced(bySeconds: -5), first.measuredAt])
        run = [second, reading(30)]
        HeartRateReading.startFirst(of: &run)
        #expect(run.map(\.startedAt) == [first.measuredAt, nil])
    }

    @Test func `Times are spelled as the system spells them`() {
        var generator = SeededGenerator(seed: 12)
        let formatter = ISO8601DateFormatter()
        for _ in 0..<3000 {
            let seconds = Int64.random(in: -60_000_000_000...200_000_000_000, using: &generator)
            let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            guard seconds > -12_000_000_000 else { continue }  // before 1589: a different calendar
            #expect(Timestamp(microseconds: seconds * 1_000_000 + 7).iso8601(decimals: 0) == text)
        }
    }
}
