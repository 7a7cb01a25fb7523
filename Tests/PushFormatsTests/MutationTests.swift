import MutatedBytes
import Recordings
import SensorModel
import Testing

@testable import PushFormats

/// Mutated bytes: each answer is a documented one, and nothing traps.
@Suite struct MutationTests {
    private static let bodies: [(PushFormat, String)] = [
        (
            .sensorlogger,
            """
            {"messageId":0,"sessionId":"u","payload":[{"name":"accelerometer","accuracy":3,
            "time":1763700000000000000,"values":{"x":1,"y":2,"z":3}},{"name":"gyroscope",
            "time":1763700000000000000,"values":{"x":1,"y":2,"z":3}},{"name":"heartrate",
            "time":1763700000000000000,"values":{"bpm":120}},{"name":"location",
            "time":1763700000000000000,"values":{"latitude":48,"longitude":11,"altitude":500}}]}
            """
        ),
        (
            .owntracks,
            """
            {"_type":"location","lat":48.85,"lon":2.29,"tst":1763700000,"acc":12,"alt":35,"vac":4,
            "vel":11,"cog":180,"batt":55,"bs":1,"p":101.3}
            """
        ),
        (
            .overland,
            """
            {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[11.5,48.1]},
            "properties":{"timestamp":"2025-11-21T04:40:00-0700","altitude":0,"speed":4,
            "horizontal_accuracy":30,"vertical_accuracy":-1,"battery_level":0.89}}]}
            """
        ),
        (
            .osmand,
            "id=1&lat=48.1&lon=11.5&timestamp=1763700000&speed=10&bearing=90&altitude=5&hr=120&batt=9"
        ),
        (
            .osmand,
            """
            {"device_id":"1","location":{"timestamp":"2025-11-21T04:40:00Z","coords":{"latitude":48,
            "longitude":11,"accuracy":5,"speed":1,"heading":2,"altitude":3},"battery":{"level":0.5}}}
            """
        ),
        (
            .gpslogger,
            "lat=48.1&lon=11.5&alt=5&spd=3&acc=5&dir=9&timestamp=1763700000&batt=50&desc=a"
        ),
        (.hr, "rate=72&timestamp=1763700000"),
        (
            .hrpush,
            """
            {"event":"heartRate","heartRate":85,"device":"Polar H10",
            "timestamp":"2025-11-21T04:40:00.000Z"}
            """
        ),
        (.runnerup, #"{"lat":48.1,"long":11.5,"altitude":500,"runningEventType":1}"#),
        (.hds, "heartRate:85"), (.hds, #"{"data":"heartRate:85"}"#),
    ]

    @Test(arguments: bodies.indices)
    func `A mutated push is answered`(index: Int) {
        let (format, body) = Self.bodies[index]
        var generator = SeededGenerator(seed: UInt64(index))
        for _ in 0..<Mutation.count {
            let mutant = Mutation.mutant(of: Array(body.utf8), using: &generator)
            let request = PushRequest(
                query: Bool.random(using: &generator)
                    ? String(decoding: mutant, as: UTF8.self) : "",
                contentType: nil, body: mutant, arrivalTime: PushTests.arrival)
            let batch = format.batch(of: request)
            // A refusal gives its reason.
            let explained = batch.refused.total > 0 && batch.reply.body.count > 10
            let answered =
                batch.reply.status == 200 || [400, 499].contains(batch.reply.status) && explained
            guard answered, Self.isOrdered(batch.frames) else {
                Issue.record("\(String(decoding: mutant, as: UTF8.self)): \(batch)")
                return
            }
        }
    }

    private static func isOrdered(_ frames: [Frame]) -> Bool {
        zip(frames, frames.dropFirst()).allSatisfy { $0.deviceTime <= $1.deviceTime }
    }
}
