import PushFormats
import SensorModel

/// A request of a phone app: it gets an answer, with frames in order.
enum PushTarget {
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let formats = PushFormat.allCases
        let format = formats[Int(first & 0x0F) % formats.count]
        let rest = Array(bytes.dropFirst())
        // Parameters come in a GET's address or a POST's body; some apps send both.
        let query = first & 0x10 == 0 ? "" : String(decoding: rest, as: UTF8.self)
        let type: String? = [
            nil, "application/json", "application/x-www-form-urlencoded", "text/plain",
        ][Int(first >> 5 & 3)]
        let batch = format.batch(
            of: PushRequest(
                query: query, contentType: type, body: first & 0x80 == 0 ? rest : [],
                arrivalTime: BinaryTarget.arrival))
        precondition((200...499).contains(batch.reply.status), "an answer of no kind")
        let pairs = zip(batch.frames, batch.frames.dropFirst())
        precondition(
            pairs.allSatisfy { $0.deviceTime <= $1.deviceTime }, "frames out of order")
    }

    private static let bodies: [(PushFormat, String)] = [
        (
            .sensorlogger,
            """
            {"messageId":0,"sessionId":"u","payload":[{"name":"accelerometer","accuracy":3,
            "time":1763700000000000000,"values":{"x":1,"y":2,"z":3}},{"name":"heartrate",
            "time":1763700000000000000,"values":{"bpm":120}},{"name":"location",
            "time":1763700000000000000,"values":{"latitude":48,"longitude":11,"altitude":500}}]}
            """
        ),
        (
            .owntracks,
            #"{"_type":"location","lat":48.85,"lon":2.29,"tst":1763700000,"acc":12,"batt":55}"#
        ),
        (
            .overland,
            """
            {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[11.5,48.1]},
            "properties":{"timestamp":"2025-11-21T04:40:00-0700","speed":4,"battery_level":0.8}}]}
            """
        ),
        (.osmand, "id=1&lat=48.1&lon=11.5&timestamp=1763700000&speed=10&hr=120&batt=9"),
        (.gpslogger, "lat=48.1&lon=11.5&alt=5&spd=3&acc=5&dir=9&timestamp=1763700000&desc=a"),
        (.hr, "rate=72&timestamp=1763700000"),
        (.hds, #"{"data":"heartRate:85"}"#),
        (.hrpush, #"{"event":"heartRate","heartRate":85,"device":"Polar H10"}"#),
        (.runnerup, #"{"lat":48.1,"long":11.5,"altitude":500,"runningEventType":1}"#),
    ]

    static var seeds: [[UInt8]] {
        bodies.flatMap { format, body in
            let index = UInt8(PushFormat.allCases.firstIndex(of: format) ?? 0)
            return [[index] + Array(body.utf8), [index | 0x90] + Array(body.utf8)]
        }
    }
}
