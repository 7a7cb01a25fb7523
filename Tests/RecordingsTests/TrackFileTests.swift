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
}
