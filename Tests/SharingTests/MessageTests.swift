import SensorModel
import Testing

@testable import Sharing

@Suite struct MessageTests {
    @Test func `A full snapshot is spelled to the letter`() {
        var fields = SessionFields(session: Fixture.session, epoch: 1)
        let update = fields.take(
            Fixture.metricsEvent(123, Fixture.fullMetrics()), at: RecordOffset(rawValue: 184))
        let table = FeedTable()
        var view = ShareView(Fixture.share(), cursor: Fixture.cursor(0), at: Fixture.start)
        _ = view.take(update, at: Fixture.start)
        let feed = table.open(FeedKey(view.share), runnerName: "Anna", snapshot: view.snapshot)
        let expected = """
            {"type":"snapshot","initial":true,"cursor":"e1-184","time":1763700123.000,\
            "state":"live","startedAt":1763700123.000,"heartRate":{"bpm":152,"zone":4,\
            "state":"live","ageSeconds":0.8,"source":"watch","rmssdMilliseconds":21.3,\
            "cadenceLockSuspected":true,"spikeSuspected":true},"cadence":{"stepsPerMinute":172.4,"confidence":0.93,\
            "uncertainty":1.3,"state":"live"},"steps":5120,"distanceMeters":4312.7,\
            "distanceUncertaintyMeters":9.1,"speedMetersPerSecond":3.05,"speedUncertainty":0.13,\
            "paceSecondsPerKm":328,"gradeAdjustedPaceSecondsPerKm":321,"elapsedSeconds":1500.0,\
            "movingSeconds":1432.3,"pausedSeconds":67.7,"autoPaused":false,\
            "elevationGainMeters":42.0,"elevationLossMeters":38.0,"gradePercent":-1.3,"powerWatts":251,\
            "zoneSeconds":[12.0,300.0,700.0,400.0,20.0],"averageHeartRate":147,"maxHeartRate":171,\
            "targetZonePercent":61.3,"averageCadence":171.2,"position":{"latitude":48.1234567,\
            "longitude":-11.5000000,"altitudeMeters":520.0,"horizontalAccuracyMeters":4.1,\
            "courseDegrees":187,"state":"live"},"gps":{"quality":"good"},\
            "trainingLoad":{"hrTSS":41.2,"trimp":58.1},"caloriesKcal":312,"effortKm":4.73,\
            "decouplingPercent":3.2,"finishEstimate":{"bestSeconds":3300,"expectedSeconds":3401,\
            "worstSeconds":3600},"course":{"checkpoint":"Bridge","predictedSeconds":2000,\
            "offCourse":false,"ahead":[{"checkpoint":"Bridge","predictedSeconds":2000},\
            {"checkpoint":"Tower","predictedSeconds":2412}]},"interval":{"number":2,"of":11,"remainingMeters":312.5},\
            "measured":[{"source":"pod","placement":"foot","state":"live","ageSeconds":0.4,\
            "stepsPerMinute":0.5,"revolutionsPerMinute":0.5,"powerWatts":251,\
            "speedMetersPerSecond":0.50,"strideLengthMeters":0.50,"groundContactSeconds":0.500,\
            "groundContactPercent":0.5,"groundContactBalancePercent":0.5,\
            "verticalOscillationMeters":0.500,"verticalRatioPercent":0.5,"inclinationPercent":0.5,\
            "standsIn":["cadence","distanceMeters"]}],\
            "battery":0.81,"charging":false,"alerts":["zoneDrift","sos"]}
            """
        #expect(Fixture.text(feed.snapshotMessage().json) == expected)
    }

    static let events: [(StreamEvent.Kind, String)] = [
        (.marker("10 km to go"), #""event":"marker",@"text":"10 km to go"}"#),
        (
            .paused(since: Fixture.time(-3.5), automatic: true),
            #""event":"paused",@"since":1763699996.500,"automatic":true}"#
        ),
        (.zoneChanged(from: nil, to: 3), #""event":"zoneChanged",@"zone":3}"#),
        (
            .lap(Lap(number: 2, seconds: 61.26, distanceMeters: 400, averageHeartRate: 150.5)),
            #""event":"lap",@"number":2,"seconds":61.3,"distanceMeters":400.0,"averageHeartRate":151}"#
        ),
        (
            .intervalStarted(
                IntervalStart(
                    number: 1, count: 11, goal: .seconds(600), since: Fixture.time(-1))),
            #""event":"intervalStarted",@"number":1,"of":11,"goalSeconds":600.0,"since":1763699999.000}"#
        ),
        (
            .intervalEnding(number: 1, seconds: 2.9),
            #""event":"intervalEnding",@"number":1,"remainingSeconds":2.9}"#
        ),
        (
            .intervalEnded(FieldScopeTests.interval),
            #""event":"intervalEnded",@"number":2,"of":11,"goalMeters":1000.0,"start":1763699700.000,"end":1763700000.000,"seconds":290.0,"distanceMeters":1000.0,"paceSecondsPerKm":290,"averageHeartRate":165,"maxHeartRate":172}"#
        ),
        (
            .checkpointReached(
                CheckpointReached(
                    checkpoint: "Bridge \"7\"", elapsedSeconds: 1871.25, distanceMeters: 5850.04)),
            #""event":"checkpointReached",@"checkpoint":"Bridge \"7\"","elapsedSeconds":1871.3,"distanceMeters":5850.0}"#
        ),
        (
            .alert(
                Alert(
                    kind: .fall, severity: .emergency, phase: .triggered,
                    cancelBefore: Fixture.time(30), advice: nil)),
            #""event":"alert",@"kind":"fall","severity":"emergency","phase":"triggered","cancelBefore":1763700030.000}"#
        ),
        (
            .gap(from: FrameSequence(rawValue: 5), to: FrameSequence(rawValue: 8)),
            #""event":"gap",@"from":5,"to":8}"#
        ),
        (
            .correction(.pauseBegan(shown: Fixture.time(-1), since: Fixture.time(-4))),
            #""event":"paused",@"since":1763699996.000,"shownSince":1763699999.000,"corrected":true}"#
        ),
    ]

    @Test(arguments: events.indices)
    func `An event is spelled to the letter`(index: Int) throws {
        let (kind, tail) = Self.events[index]
        let event = StreamEvent(deviceTime: Fixture.start, kind: kind)
        let form = try #require(
            EventEncoder.forms(of: event, cursor: Fixture.cursor(9)).first {
                $0.visibility.contains(.all)
            })
        let head = #"{"type":"event","#
        let place = #""cursor":"e1-9","time":1763700000.000,"#
        #expect(
            Fixture.text(form.json) == head + tail.replacing("@", with: place))
    }

    @Test func `The end and a gap in history have their own types`() {
        let ended = StreamEvent(deviceTime: Fixture.start, kind: .ended)
        let forms = EventEncoder.forms(of: ended, cursor: Fixture.cursor(9))
        #expect(
            forms.map { Fixture.text($0.json) } == [
                #"{"type":"end","cursor":"e1-9","time":1763700000.000}"#
            ])
        let gap = EventEncoder.historyGap(cursor: Fixture.cursor(3), time: Fixture.start)
        #expect(
            Fixture.text(gap.json)
                == #"{"type":"gap","cursor":"e1-3","time":1763700000.000}"#)
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
    func `A message is framed for both kinds of viewers`(count: Int) {
        let json = Array(repeating: UInt8(ascii: "x"), count: count)
        let message = EncodedMessage(json: json, cursor: Fixture.cursor(4))
        let frame = message.webSocketFrame
        let headBytes = count < 126 ? 2 : count < 65_536 ? 4 : 10
        #expect(frame.count == count + headBytes)
        #expect(frame[0] == 0x81)
        let length: [UInt8] = Array(frame[1..<headBytes])
        switch headBytes {
        case 2: #expect(length == [UInt8(count)])
        case 4: #expect(length == [126, UInt8(count >> 8), UInt8(count & 0xFF)])
        default: #expect(length.prefix(6) == [127, 0, 0, 0, 0, 0])
        }
        #expect(Array(frame[headBytes...]) == json)
        #expect(
            Fixture.text(message.serverSentEvent) == "id: e1-4\ndata: \(Fixture.text(json))\n\n")
    }

    @Test func `A group's snapshot holds each runner under its name`() throws {
        let anna = FeedSnapshot.waiting(cursor: Fixture.cursor(4), time: Fixture.time(1))
        let ben = FeedSnapshot.waiting(cursor: Fixture.cursor(9), time: Fixture.time(2))
        let object = try Fixture.object(
            SnapshotEncoder.group(
                [("Anna", anna), ("Ben", ben)], cursor: Fixture.cursor(0), at: Fixture.start))
        #expect(object["cursor"] as? String == "e1-9")
        let runners = object["runners"] as? [[String: Any]]
        #expect(runners?.map { $0["runner"] as? String } == ["Anna", "Ben"])
        #expect(runners?.map { $0["state"] as? String } == ["waiting", "waiting"])
    }
}
