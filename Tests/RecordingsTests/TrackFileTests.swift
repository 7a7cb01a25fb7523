import SensorModel
import Testing

@testable import Recordings

/// GPX and TCX.
@Suite struct TrackFileTests {
    private func read(_ name: String, _ text: String) throws -> Recording {
        try Recording.read(name: name, contents: .file(Array(text.utf8)))
    }

    private static let gpx = """
        <?xml version="1.0"?>
        <gpx xmlns="http://www.topografix.com/GPX/1/1" xmlns:ns3="urn:x"><wpt lat="1" lon="2"/>
        <trk><name>Caf&#233; &amp; back</name><type>9</type><trkseg>
        <trkpt lat="48.1" lon="11.5"><ele>500.25</ele><time>2025-11-21T04:40:00Z</time>
        <extensions><ns3:TrackPointExtension><ns3:hr>120</ns3:hr><ns3:cad>85</ns3:cad>
        </ns3:TrackPointExtension></extensions></trkpt>
        <trkpt lat="48.1001" lon="11.5"><ele>99999</ele><time>2025-11-21T04:40:01.500Z</time></trkpt>
        <trkpt lat="91" lon="11.5"><time>2025-11-21T04:40:02Z</time></trkpt>
        <trkpt lat="48.1" lon="11.5"><ele>3</ele></trkpt>
        </trkseg><trkseg>
        <trkpt lat="48.1002" lon="11.5"><time>2025-11-21T04:41:00Z</time>
        <extensions><heartrate>0</heartrate><speed>3.5</speed></extensions></trkpt>
        </trkseg></trk></gpx>
        """

    @Test func `GPX gives positions, heart rates and what could not be used`() throws {
        let recording = try read("a.gpx", Self.gpx)
        #expect(recording.format == .gpx)
        #expect(recording.name == "Café & back")
        #expect(recording.sport == "running")
        #expect(recording.start == SampleRun.start)
        #expect(recording.heartRates == [120])
        #expect(recording.locations.map(\.latitude) == [48.1, 48.1001, 48.1002])
        #expect(recording.locations.map(\.altitude) == [500.25, nil, nil])
        #expect(recording.locations.map(\.speed) == [nil, nil, 3.5])
        #expect(recording.deviceValues.compactMap(\.cadence) == [170])
        #expect(
            recording.refused.counts == [
                "not part of a track": 1, "altitude out of range": 1, "position out of range": 1,
                "no time": 1, "heart rate of 0": 1,
            ])
    }

    @Test func `Why a track was cut nobody says, so it is no command`() throws {
        let recording = try read("a.gpx", Self.gpx)
        #expect(recording.pauses.map(\.automatic) == [true])
        #expect(recording.pauses.first?.end.seconds(since: SampleRun.start) == 60)
        #expect(recording.actions.isEmpty)
    }

    @Test(arguments: [
        (
            "a.gpx", "<gpx></gpx>",
            "The GPX recording holds no position, heart rate or motion with a time."
        ),
        ("a.gpx", "<gpx><trk>", "Not a readable GPX file: the file ends inside <trk> at byte 10."),
        ("a.gpx", "hello", "Not a readable GPX file: no gpx element at byte 0."),
        ("a.fit", "hello", "Not a readable FIT file: no FIT header at byte 0."),
        ("a.tcx", "<x/>", "Not a readable TCX file: no TrainingCenterDatabase element at byte 0."),
        ("a.gpx", "", "a.gpx is empty."),
    ])
    func `A file that cannot be played is refused in one sentence`(
        name: String, text: String, sentence: String
    ) {
        let error = #expect(throws: RecordingError.self) { try read(name, text) }
        #expect(error?.description == sentence)
    }

    @Test func `A file of another kind is refused with the kinds there are`() {
        let error = #expect(throws: RecordingError.self) { try read("a.csv", "[[Training]]\n1,2") }
        #expect(error == .unknownFormat(name: "a.csv"))
        #expect(error?.description.contains("FIT, GPX, TCX") == true)
    }

    private static let tcx = """
        <TrainingCenterDatabase><Activities><Activity Sport="Running">
        <Lap StartTime="2025-11-21T04:40:00Z"><TotalTimeSeconds>60</TotalTimeSeconds>
        <DistanceMeters>200</DistanceMeters><AverageHeartRateBpm><Value>121</Value></AverageHeartRateBpm>
        <TriggerMethod>Manual</TriggerMethod><Track>
        <Trackpoint><Time>2025-11-21T04:40:00Z</Time><Position><LatitudeDegrees>48.1</LatitudeDegrees>
        <LongitudeDegrees>11.5</LongitudeDegrees></Position><AltitudeMeters>500</AltitudeMeters>
        <DistanceMeters>0</DistanceMeters><HeartRateBpm><Value>120</Value></HeartRateBpm>
        <Extensions><TPX xmlns="urn:x"><RunCadence>84</RunCadence><Speed>3</Speed></TPX></Extensions>
        </Trackpoint></Track><Track><Trackpoint><Time>2025-11-21T04:41:00Z</Time>
        <HeartRateBpm><Value>122</Value></HeartRateBpm></Trackpoint></Track></Lap>
        <Lap StartTime="2025-11-21T04:41:00Z"><TotalTimeSeconds>10</TotalTimeSeconds>
        <TriggerMethod>Manual</TriggerMethod><Track><Trackpoint><Time>2025-11-21T04:41:10Z</Time>
        <HeartRateBpm><Value>300</Value></HeartRateBpm></Trackpoint></Track></Lap>
        </Activity></Activities></TrainingCenterDatabase>
        """

    @Test func `TCX gives points, laps and the wearer's lap button`() throws {
        let recording = try read("a.tcx", Self.tcx)
        #expect(recording.sport == "running")
        #expect(recording.heartRates == [120, 122])
        #expect(recording.locations.count == 1)
        #expect(recording.deviceValues.compactMap(\.cadence) == [168])
        #expect(recording.laps.map(\.timerSeconds) == [60, 10])
        #expect(recording.laps.first?.averageHeartRate == 121)
        #expect(recording.actions == [.lap])
        #expect(recording.pauses.map(\.automatic) == [true])
        #expect(recording.totals.distanceMeters == 200)
        #expect(recording.refused.counts == ["heart rate out of range": 1])
    }

    /// GPSBabel writes a run as a course unless it is told otherwise.
    @Test func `A TCX file without activities gives the tracks of its courses`() throws {
        func point(_ second: Int) -> String {
            """
            <Trackpoint><Time>2025-11-21T04:40:0\(second)Z</Time><Position>
            <LatitudeDegrees>48.\(second)</LatitudeDegrees><LongitudeDegrees>11.5</LongitudeDegrees>
            </Position><AltitudeMeters>500</AltitudeMeters></Trackpoint>
            """
        }
        func course(_ points: String) -> String {
            """
            <Courses><Course><Name>Run</Name><Lap><TotalTimeSeconds>9</TotalTimeSeconds></Lap>
            <Track>\(points)</Track><CoursePoint><Name>Hill</Name>
            <Time>2025-11-21T04:40:02Z</Time></CoursePoint></Course></Courses>
            """
        }
        func file(_ content: String) -> String {
            "<TrainingCenterDatabase>\(content)</TrainingCenterDatabase>"
        }
        let recording = try read("a.tcx", file(course((1...3).map(point).joined())))
        #expect(recording.locations.map(\.latitude) == [48.1, 48.2, 48.3])
        #expect(recording.pauses.isEmpty && recording.refused.isEmpty)
        // A plan beside an activity is no run.
        let both = Self.tcx.replacing("</Activities>", with: "</Activities>" + course(point(5)))
        #expect(try read("a.tcx", both).locations.count == 1)
        let before = Self.tcx.replacing("<Activities>", with: course(point(5)) + "<Activities>")
        let plain = try read("a.tcx", Self.tcx)
        #expect(try read("a.tcx", before).locations == plain.locations)
        #expect(throws: RecordingError.self) { try read("a.tcx", file(course(""))) }
    }

    @Test func `Meters that a pause finds to have been run before it stand in TCX at its start`()
        throws
    {
        var run = try SampleRun(seconds: 80)
        run.session.pauses.append(
            RecordedPause(
                start: run.session.points[70].time, end: run.session.end, automatic: true))
        let last = try #require(run.session.points[69].distanceMeters)
        for index in 70...80 {
            run.session.points[index].paused = true
            run.session.points[index].distanceMeters = last + (index < 75 ? 0 : 12)
        }
        let text = String(decoding: run.export(.tcx), as: UTF8.self)
        let shown = text.split(separator: "<Trackpoint>").dropFirst().compactMap {
            $0.firstMatch(of: /<DistanceMeters>([\d.]+)</).flatMap { Double($0.output.1) }
        }
        #expect(shown.last == last + 12)
        #expect(shown.dropLast().last == run.session.points[68].distanceMeters)
    }

    @Test(arguments: [ExportFormat.gpx, .tcx])
    func `A run goes out and comes back`(format: ExportFormat) throws {
        let run = try SampleRun(seconds: 200)
        let bytes = run.export(format)
        let recording = try Recording.read(
            name: "a.\(format.fileExtension)", contents: .file(bytes))
        let kept = run.session.points.filter { !$0.paused }
        #expect(recording.refused.isEmpty && recording.notes.isEmpty)
        #expect(recording.locations.map(\.latitude) == kept.compactMap(\.latitude))
        #expect(recording.locations.map(\.altitude) == kept.map(\.altitudeMeters))
        #expect(recording.heartRates == kept.compactMap { $0.heartRate?.rounded(.toNearestOrEven) })
        // The last second before the pause, the first after it.
        let pause = try #require(recording.pauses.first)
        #expect(recording.pauses.count == 1)
        #expect(pause.start.seconds(since: SampleRun.start) == 99)
        #expect(pause.end.seconds(since: SampleRun.start) == 120)
        for (values, point) in zip(recording.deviceValues, kept) {
            #expect(abs((values.cadence ?? 0) - (point.cadence ?? 0)) <= 1)
        }
        if format == .gpx { #expect(recording.name == run.session.name) }
        if format == .tcx { #expect(recording.laps.count == 2) }
    }

    private static let sensed = [
        (
            "a.gpx",
            """
            <gpx creator="Huami Amazfit Sports Watch, of the year"><trk><type>running</type><trkseg>
            <trkpt lat="48.1" lon="11.5"><time>2025-11-21T04:40:00Z</time><extensions>
            <x:TrackPointExtension><x:atemp>21</x:atemp><x:cad>85</x:cad></x:TrackPointExtension>
            <x:PowerExtension><x:PowerInWatts>251</x:PowerInWatts></x:PowerExtension>
            <distance>4.5</distance></extensions></trkpt></trkseg></trk></gpx>
            """, "Huami Amazfit Sports Watch, of t", ["trkpt.atemp": 1]
        ),
        (
            "a.tcx",
            """
            <TrainingCenterDatabase><Activities><Activity Sport="Running">
            <Lap StartTime="2025-11-21T04:40:00Z"><Calories>12</Calories><Track><Trackpoint>
            <Time>2025-11-21T04:40:00Z</Time><DistanceMeters>4.5</DistanceMeters>
            <SensorState>Present</SensorState><Extensions><TPX><RunCadence>85</RunCadence>
            <Watts>251</Watts></TPX></Extensions></Trackpoint></Track></Lap>
            <Creator><Name>Forerunner305</Name><UnitId>7</UnitId></Creator></Activity></Activities>
            </TrainingCenterDatabase>
            """, "Forerunner305", ["Trackpoint.SensorState": 1, "Lap.Calories": 1]
        ),
    ]

    @Test(arguments: sensed)
    func `What the device computed is a frame with its name, the rest is named`(
        name: String, text: String, source: String, dropped: [String: Int]
    ) throws {
        var expected = MeasuredValues(source: source)
        try expected.set(.cadence, to: 170)
        try expected.set(.distance, to: 4.5)
        try expected.set(.power, to: 251)
        let recording = try read(name, text)
        #expect(recording.frames.map(\.payload).contains(.measured(expected)))
        #expect(recording.dropped.counts == dropped)
        #expect(recording.refused.isEmpty)
    }

    @Test(arguments: [ExportFormat.gpx, .tcx])
    func `A pod's cadence and power go out where there is no motion, and come back`(
        format: ExportFormat
    ) throws {
        var builder = RecordedSessionBuilder(id: SessionID(high: 1, low: 1), device: "wrist")
        for second in 0..<20 {
            var values = MeasuredValues(source: "pod", placement: .foot)
            try values.set(.cadence, to: 160 + 2 * Double(second))
            try values.set(.power, to: 240 + Double(second))
            let time = SampleRun.start.advanced(bySeconds: Double(second))
            let place = try Location(latitude: 48.1 + Double(second) * 1e-5, longitude: 11.5)
            for payload in [Frame.Payload.location(place), .measured(values)] {
                builder.take(Frame(sequence: .none, deviceTime: time, payload: payload))
            }
        }
        let session = builder.finish()
        #expect(session.points.map(\.cadenceSource) == Array(repeating: "pod", count: 20))
        var export = SessionExport(format: format, session: session)
        export.finish()
        let recording = try Recording.read(
            name: "a.\(format.fileExtension)", contents: .file(export.takeBytes()))
        #expect(
            recording.deviceValues.compactMap(\.cadence) == (0..<20).map { 160 + 2 * Double($0) })
        #expect(
            recording.deviceValues.compactMap(\.powerWatts) == (0..<20).map { 240 + Double($0) })
        // Fields that the format requires without a measured value.
        let wanted = format == .tcx ? ["Lap.Calories": 1, "Lap.Intensity": 1] : [:]
        #expect(recording.dropped.counts == wanted)
    }
}
