import Recordings
import SensorModel
import Testing

@testable import PushFormats

/// Golden requests of each application with their frames and exact answers.
@Suite struct PushTests {
    static let start = Timestamp(microseconds: 1_763_700_000_000_000)
    static let arrival = start.advanced(byMicroseconds: 10_000_000)

    private func push(
        _ format: PushFormat, _ body: String, query: String = "", type: String? = nil,
        commands: [PhoneCommand] = []
    ) -> PushBatch {
        let request = PushRequest(
            query: query, contentType: type, body: Array(body.utf8), arrivalTime: Self.arrival)
        return format.batch(of: request, commands: commands)
    }

    private func at(_ seconds: Double, _ payload: Frame.Payload) -> Frame {
        Frame(
            sequence: .none, deviceTime: PushTests.start.advanced(bySeconds: seconds),
            payload: payload)
    }

    private func text(_ reply: PushReply) -> String {
        String(decoding: reply.body, as: UTF8.self)
    }

    @Test func `Sensor Logger: nanoseconds, any spelling of heart rate, sea level first`() throws {
        let batch = push(
            .sensorlogger,
            """
            {"messageId":7,"sessionId":"abc","deviceId":"d","payload":[
            {"name":"Heart Rate","time":1763700001000000999,"values":{"bpm":142}},
            {"name":"location","time":1763700000500000000,"values":{"latitude":48.1,"longitude":11.5,
            "altitude":550,"altitudeAboveMeanSeaLevel":505.5,"speed":3.1,"bearing":-1,
            "horizontalAccuracy":4.2,"verticalAccuracy":3,"bearingAccuracy":-1}},
            {"name":"watchlocation","time":1763700000600000000,"values":{"latitude":48.2,
            "longitude":11.5,"altitude":506,"course":90,"horizontalAccuracy":5}},
            {"name":"barometer","time":1763700000700000000,"values":{"pressure":1013.25}},
            {"name":"watchbarometer","time":1763700000800000000,"values":{"pressure":101.3}},
            {"name":"battery","time":1763700000900000000,
            "values":{"batteryLevel":0.5,"batteryState":"charging"}},
            {"name":"annotation","time":1763700001100000000,"values":{"text":" hill\\n "}},
            {"name":"annotation","time":1763700001200000000,"values":{"text":""}},
            {"name":"pedometer","time":1763700001250000000,"values":{"steps":412}},
            {"name":"pedometer","time":1763700001260000000,"values":{"steps":-1}},
            {"name":"magnetometer","time":1763700001300000000,"values":{"x":1}},
            {"name":"location","time":1763700001400000000,"values":{"latitude":99,"longitude":0}}
            ]}
            """)
        let fix = try Location(
            latitude: 48.1, longitude: 11.5, altitude: 505.5, horizontalAccuracy: 4.2,
            verticalAccuracy: 3, speed: 3.1)
        let watchFix = try Location(
            latitude: 48.2, longitude: 11.5, altitude: 506, horizontalAccuracy: 5, course: 90)
        var steps = MeasuredValues(source: "pedometer")
        try steps.set(.stepCount, to: 412)
        #expect(
            batch.frames == [
                at(0.5, .location(fix)), at(0.6, .location(watchFix)),
                at(0.7, .pressure(hectopascals: 1013.25)), at(0.8, .pressure(hectopascals: 1013)),
                at(0.9, .status(DeviceStatus(batteryPercent: 50, charging: true))),
                at(1, .heartRate(try HeartRateSample(beatsPerMinute: 142))),
                at(1.1, .marker("hill")), at(1.2, .control(.lap)), at(1.25, .measured(steps)),
            ])
        #expect(batch.sessionHint == "abc")
        #expect(
            batch.refused.counts == ["position out of range": 1, "steps out of range": 1])
        #expect(batch.reply == .empty)
    }

    @Test(arguments: [
        // Android sends its accuracy and the opposite sign; both use m/s².
        (#""accuracy":3,"#, Float(-1)), ("", Float(1)),
    ])
    func `Sensor Logger: acceleration in g, rotation beside it, Apple's sign`(
        accuracy: String, x: Float
    ) throws {
        var readings: [String] = []
        for index in 0..<10 {
            let time = 1_763_700_000_000_000_000 + index * 10_000_000
            readings.append(
                """
                {"name":"accelerometer",\(accuracy)"time":\(time),"values":{"x":9.80665,"y":0,"z":0}},
                {"name":"gyroscope","time":\(time + 1_000_000),"values":{"x":\(index),"y":0,"z":0}}
                """)
        }
        let batch = push(.sensorlogger, #"{"payload":["# + readings.joined(separator: ",") + "]}")
        #expect(batch.frames.count == 1)
        guard case .motion(let motion) = batch.frames[0].payload else {
            return #expect(Bool(false))
        }
        #expect(motion.traits == .hasRotation)
        #expect(motion.intervalMicroseconds == 10_000)
        #expect(motion.samples.map(\.acceleration.x) == Array(repeating: x, count: 10))
        #expect(motion.samples.map(\.rotation.x) == (0..<10).map { Float($0) })
    }

    @Test(arguments: [
        ("wrist motion", 1.0, Float(0.5)), ("wrist motion", 9.81, Float(0.5 / 9.80665)),
    ])
    func `Sensor Logger: a wrist's unit shows in its gravity`(
        name: String, gravity: Double, x: Float
    ) throws {
        let batch = push(
            .sensorlogger,
            """
            {"payload":[{"name":"\(name)","time":1763700000000000000,"values":{"accelerationX":0.5,
            "accelerationY":0,"accelerationZ":0,"gravityX":0,"gravityY":0,"gravityZ":-\(gravity),
            "rotationRateX":1,"rotationRateY":2,"rotationRateZ":3}}]}
            """)
        guard case .motion(let motion) = batch.frames.first?.payload else {
            return #expect(Bool(false))
        }
        #expect(abs(motion.samples[0].acceleration.x - x) < 1e-6)
        #expect(motion.samples[0].rotation == SIMD3(1, 2, 3))
    }

    @Test func `OwnTracks: km/h, kilopascals, whole seconds, a list as the answer`() throws {
        let body = """
            {"_type":"location","lat":48.1,"lon":11.5,"tst":1763700000,"acc":12,"alt":505,"vac":4,
            "vel":18,"cog":180,"batt":55,"bs":2,"p":101.3,"tid":"JJ","t":"u"}
            """
        let batch = push(.owntracks, body)
        let fix = try Location(
            latitude: 48.1, longitude: 11.5, altitude: 505, horizontalAccuracy: 12,
            verticalAccuracy: 4, speed: 5, course: 180)
        #expect(
            batch.frames == [
                at(0, .location(fix)), at(0, .pressure(hectopascals: 1013)),
                at(0, .status(DeviceStatus(batteryPercent: 55, charging: true))),
            ])
        #expect(batch.reply == .json("[]"))
        #expect(push(.owntracks, "").reply == .json("[]"))
        #expect(push(.owntracks, #"{"_type":"lwt","tst":1}"#).refused.isEmpty)
        #expect(push(.owntracks, #"{"_type":"encrypted","data":"x"}"#).refused.total == 1)
        let commanded = push(.owntracks, body, commands: [.lap, .start])
        #expect(commanded.deliveredCommands == [.start])
        #expect(
            text(commanded.reply) == """
                [{"_type":"cmd","action":"setConfiguration",\
                "configuration":{"_type":"configuration","monitoring":2}}]
                """)
    }

    @Test func `Overland: a batch in order of time, -1 is unknown, the answer that stops it`()
        throws
    {
        let batch = push(
            .overland,
            """
            {"locations":[
            {"type":"Feature","geometry":{"type":"Point","coordinates":[11.6,48.2]},"properties":
            {"timestamp":"2025-11-20T20:40:02-0800","altitude":7,"speed":-1,"horizontal_accuracy":30,
            "vertical_accuracy":-1,"battery_state":"unplugged","battery_level":0.89}},
            {"type":"Feature","geometry":{"type":"Point","coordinates":[11.5,48.1]},"properties":
            {"timestamp":"2025-11-21T04:40:01Z","altitude":500,"speed":4,"horizontal_accuracy":5,
            "vertical_accuracy":3,"course":90}},
            {"type":"Feature","geometry":null,"properties":{"timestamp":"2025-11-21T04:40:03Z"}},
            {"type":"Feature","properties":{}}],
            "current":{"geometry":{"coordinates":[1,2]}},"trip":{"distance":1}}
            """)
        let first = try Location(
            latitude: 48.1, longitude: 11.5, altitude: 500, horizontalAccuracy: 5,
            verticalAccuracy: 3, speed: 4, course: 90)
        let second = try Location(latitude: 48.2, longitude: 11.6, horizontalAccuracy: 30)
        #expect(batch.frames == [at(1, .location(first)), at(2, .location(second))])
        #expect(batch.refused.counts == ["no position": 1, "no time": 1])
        #expect(batch.reply == .json(#"{"result":"ok"}"#))
    }

    @Test(arguments: [
        "id=1&lat=48.1&lon=11.5&timestamp=1763700000&speed=10&bearing=90&altitude=500&accuracy=5",
        "deviceid=1&location=48.1%2C11.5&timestamp=1763700000000&speed=10&heading=90&altitude=500&accuracy=5",
        "lat=48.1&lon=11.5&timestamp=2025-11-21T04%3A40%3A00Z&speed=10&bearing=90&altitude=500&accuracy=5",
        "lat=48.1&lon=11.5&timestamp=2025-11-21+04:40:00&speed=10.0&bearing=90&altitude=500&accuracy=5",
    ])
    func `OsmAnd: knots, and times of every kind, in the query or in a form`(query: String) throws {
        let fix = try Location(
            latitude: 48.1, longitude: 11.5, altitude: 500, horizontalAccuracy: 5,
            speed: 10 * 1852 / 3600, course: 90)
        #expect(push(.osmand, "", query: query).frames == [at(0, .location(fix))])
        let form = push(.osmand, query, type: "application/x-www-form-urlencoded")
        #expect(form.frames == [at(0, .location(fix))])
        #expect(form.reply == .empty)
    }

    @Test func `OsmAnd: heart rate, battery, alarm, a command as the answer`() throws {
        let batch = push(
            .osmand, "", query: "lat=48.1&lon=11.5&hr=150&batt=40&charge=true&alarm=sos",
            commands: [.stop, .start])
        #expect(
            batch.frames.map(\.payload) == [
                .location(try Location(latitude: 48.1, longitude: 11.5)),
                .heartRate(try HeartRateSample(beatsPerMinute: 150)),
                .status(DeviceStatus(batteryPercent: 40, charging: true)), .control(.sos),
            ])
        #expect(batch.frames.allSatisfy { $0.deviceTime == Self.arrival })
        #expect(text(batch.reply) == "stop")
        #expect(batch.deliveredCommands == [.stop])
        #expect(push(.osmand, "", query: "lat=1&lon=1&valid=false").frames.isEmpty)
    }

    @Test func `Traccar Client: meters a second, negative is unknown`() throws {
        let batch = push(
            .osmand,
            """
            {"device_id":"7","location":{"timestamp":"2025-11-21T04:40:00.000Z","coords":
            {"latitude":48.1,"longitude":11.5,"accuracy":5,"speed":3,"heading":-1,"altitude":500},
            "is_moving":true,"battery":{"level":0.5,"is_charging":true},"extras":{"hr":120}}}
            """, type: "application/json")
        let fix = try Location(
            latitude: 48.1, longitude: 11.5, altitude: 500, horizontalAccuracy: 5, speed: 3)
        #expect(
            batch.frames == [
                at(0, .location(fix)),
                at(0, .heartRate(try HeartRateSample(beatsPerMinute: 120))),
                at(0, .status(DeviceStatus(batteryPercent: 50, charging: true))),
            ])
    }

    @Test(arguments: [
        "&lat=48.1&lon=11.5&alt=500&spd=3.5&acc=5&dir=90&timestamp=1763700000&starttimestamp=1763690000",
        "lat=48.1&lon=11.5&alt=500&spd_kph=12.6&acc=5&dir=90&time=2025-11-21T04:40:00Z&starttimestamp=1763690000",
        "LAT=48.1&LON=11.5&ALT=500.0&SPD=3.5&ACC=5&DIR=90&TIMESTAMP=1763700000&STARTTIMESTAMP=1763690000&DESC=",
    ])
    func `GPSLogger: meters a second`(query: String) throws {
        let batch = push(.gpslogger, "", query: query)
        let fix = try Location(
            latitude: 48.1, longitude: 11.5, altitude: 500, horizontalAccuracy: 5, speed: 3.5,
            course: 90)
        #expect(batch.frames == [at(0, .location(fix))])
        #expect(batch.sessionHint == "1763690000")
        #expect(text(batch.reply) == "OK")
    }

    @Test(arguments: [
        ("bpm=72", "", nil), ("token=abc&bpm=72", "", nil), ("", "rate=72", nil), ("", "72", nil),
        ("", #"{"heartRate":72}"#, "application/json"), ("", "bpm=72.0", "text/plain"),
    ])
    func `A heart rate alone, however it is sent`(query: String, body: String, type: String?) throws
    {
        let batch = push(.hr, body, query: query, type: type)
        let sample = try HeartRateSample(beatsPerMinute: 72)
        #expect(
            batch.frames == [
                Frame(sequence: .none, deviceTime: Self.arrival, payload: .heartRate(sample))
            ])
        #expect(batch.reply == .text("OK"))
    }

    @Test(arguments: [
        ("bpm=0", "heart rate of 0: 20 to 250 beats/min"),
        ("bpm=300", "heart rate out of range: 20 to 250 beats/min"),
        ("bpm=x", "no bpm: send ?bpm=72, or rate=72 in a form"),
        ("bpm=72&timestamp=yesterday", "unreadable time"),
    ])
    func `A heart rate that cannot be is told`(query: String, reason: String) {
        let batch = push(.hr, "", query: query)
        #expect(batch.frames.isEmpty && batch.refused.total == 1)
        #expect(batch.reply.status == 400)
        #expect(text(batch.reply) == #"{"code":4000,"reason":"\#(reason)"}"#)
    }

    @Test func `hr_push: the strap is the source`() throws {
        let batch = push(
            .hrpush,
            """
            {"event":"heartRate","heartRate":85,"percent":0.42,"connected":true,
            "device":"Polar H10","timestamp":"2025-11-21T04:40:00.000Z"}
            """)
        #expect(
            batch.frames == [
                at(0, .source("Polar H10")),
                at(0, .heartRate(try HeartRateSample(beatsPerMinute: 85))),
            ])
        #expect(push(.hrpush, #"{"event":"connection","connected":false}"#).reply == .json("{}"))
    }

    @Test(
        arguments: [
            ("heartRate:85", 85.0), ("heartRate:85.5", 85.5), (#"{"data":"heartRate:85"}"#, 85),
            (#" {"heartRate":85,"calories":12}"#, 85), (#"{"heartRate":"85"}"#, 85),
            ("clientName:watch", nil), ("stepCount:512", nil), (#"{"data":"speed:2.5"}"#, nil),
            ("heartRate:", nil), ("heartRate", nil), ("", nil), ("heartRate:x", nil),
            ("heartRate:300", nil), (#"{"heartRate":null}"#, nil), ("{", nil),
        ] as [(String, Double?)])
    func `HDS: the heart rate of a message, in each of its forms`(body: String, rate: Double?)
        throws
    {
        let batch = push(.hds, body)
        let isBad = ["heartRate:", "heartRate", "", "heartRate:x", #"{"heartRate":null}"#, "{"]
            .contains(body)
        #expect(batch.reply.status == (isBad ? 400 : 200))
        #expect(batch.refused.total == (isBad || body == "heartRate:300" ? 1 : 0))
        let beats = try rate.map { try HeartRateSample(beatsPerMinute: $0) }
        #expect(
            batch.frames.map(\.payload) == [beats].compactMap { $0.map(Frame.Payload.heartRate) })
    }

    @Test(arguments: [
        (0, ControlAction.resume, false, false), (2, .pause, false, false), (3, .stop, true, false),
        (1, nil, false, false), (6, nil, true, true),
    ])
    func `RunnerUp: what the runner did, now`(
        type: Int, action: ControlAction?, ends: Bool, discards: Bool
    ) throws {
        let batch = push(
            .runnerup,
            """
            {"userName":"u","password":"p","lat":48.1,"long":11.5,"altitude":500,
            "runningEventType":\(type),"TotalDistance":"1 km","TotalTime":"5:00","Pace":"5:00"}
            """)
        var payloads: [Frame.Payload] = [
            .location(try Location(latitude: 48.1, longitude: 11.5, altitude: 500))
        ]
        if let action { payloads.append(.control(action)) }
        #expect(batch.frames.map(\.payload) == payloads)
        #expect(batch.endsSession == ends && batch.discardsSession == discards)
        #expect(batch.reply == .empty)
    }

    @Test(arguments: PushFormat.allCases)
    func `What is not the format at all is told in its own way`(format: PushFormat) {
        let batch = push(format, #"{"hello":1"#, type: "application/json")
        #expect(batch.frames.isEmpty && batch.refused.total == 1)
        #expect(
            batch.reply.status == (format == .sensorlogger ? 499 : 400)
        )
        #expect(!batch.reply.body.isEmpty)
        #expect(format.tokenRefusal.status == (format == .sensorlogger ? 499 : 401))
    }

    @Test func `A time that is not believed is counted`() {
        let future = push(.osmand, "", query: "lat=1&lon=1&timestamp=1963700000")
        #expect(future.refused.counts == ["time in the future": 1])
        let past = push(.osmand, "", query: "lat=1&lon=1&timestamp=1000")
        #expect(past.refused.counts == ["time before 2000": 1])
        #expect(past.reply.status == 200)
    }
}
