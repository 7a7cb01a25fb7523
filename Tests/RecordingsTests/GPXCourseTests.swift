import Testing

@testable import Recordings

@Suite struct GPXCourseTests {
    @Test func `A course is a track and its named waypoints`() throws {
        let text = """
            <gpx><metadata><author><name>x</name></author><name>Round</name></metadata>
            <wpt lat="48.2" lon="11.6"><name>Bridge</name><ele>3</ele></wpt>
            <wpt lat="48.3" lon="11.6"/>
            <trk><trkseg><trkpt lat="48.1" lon="11.5"><ele>500</ele></trkpt>
            <trkpt lat="95" lon="11.5"/><trkpt lat="48.2" lon="11.5"/></trkseg></trk></gpx>
            """
        let course = try GPXCourse.read(Array(text.utf8))
        #expect(course.name == "Round")
        #expect(course.points.map(\.latitude) == [48.1, 48.2])
        #expect(course.points.map(\.altitude) == [500, nil])
        #expect(course.checkpoints.map(\.name) == ["Bridge"])
    }

    @Test func `A route without a track is a course, its named points are checkpoints`() throws {
        let text = """
            <gpx><rte><rtept lat="1" lon="1"><name>A</name></rtept><rtept lat="2" lon="1"/></rte></gpx>
            """
        let course = try GPXCourse.read(Array(text.utf8))
        #expect(course.points.count == 2)
        #expect(course.checkpoints.map(\.name) == ["A"])
    }

    @Test(arguments: [
        ("<gpx/>", "Not a readable GPX file: a course needs two points at byte 0."),
        ("<kml/>", "Not a readable GPX file: no gpx element at byte 6."),
        ("", "Not a readable GPX file: no element at byte 0."),
    ])
    func `What is no course is told`(text: String, sentence: String) {
        let error = #expect(throws: RecordingError.self) {
            try GPXCourse.read(Array(text.utf8))
        }
        #expect(error?.description == sentence)
    }
}
