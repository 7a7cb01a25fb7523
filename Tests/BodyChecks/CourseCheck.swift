import Recordings
import Runtime
import SensorModel
import WireFormat

enum CourseCheck {
    private static let recordBytesMax = 128 * 1024

    static func run(_ bytes: [UInt8]) throws(Breach) {
        let read: GPXCourse
        do throws(RecordingError) { read = try GPXCourse.read(bytes) } catch {
            let reason = error.description
            try expect(
                reason.hasSuffix(".") && reason.utf8.count <= 2048, "no sentence: \(reason)")
            return
        }
        let course = Course(read)
        try expect((2...Course.pointsMax).contains(course.points.count), "points")
        try expect(course.checkpoints.count <= Course.checkpointsMax, "checkpoints")
        for place in course.points + course.checkpoints.map(\.place) {
            try expect(
                (-90...90).contains(place.latitude) && (-180...180).contains(place.longitude),
                "\(place)")
        }
        let ends = (read.points.last?.latitude, course.points.last?.latitude)
        if case (let last?, let kept?) = ends {
            try expect(abs(last - kept) < 1e-7, "the course ends elsewhere")
        }
        for name in course.checkpoints.map(\.name) {
            try expect(
                name.count <= 64 && name.utf8.count <= Course.nameBytesMax,
                "a name of \(name.utf8.count) bytes")
        }
        try checkRecord(of: course)
    }

    private static func checkRecord(of course: Course) throws(Breach) {
        var record: [UInt8] = []
        CourseCodec.encode(course, to: &record)
        try expect(record.count <= recordBytesMax, "a record of \(record.count) bytes")
        do throws(RecordRefusal) {
            let decoded = try CourseCodec.decode(record.span)
            guard decoded == course else { throw .unknownValue }
        } catch { throw Breach(what: "another course is recorded: \(error)") }
    }

    static let seeds = [
        #"""
        <?xml version="1.0"?><gpx version="1.1"><metadata><name>Round the lake</name>
        <author><name>me</name></author></metadata><wpt lat="48.1" lon="11.5"><name>Hut</name></wpt>
        <trk><trkseg><trkpt lat="48.1" lon="11.5"><ele>500</ele></trkpt>
        <trkpt lat="48.2" lon="-11.6"/></trkseg></trk></gpx>
        """#,
        #"""
        <gpx><rte><name>a&amp;b</name><rtept lat="-90" lon="180"><name>S&#xFC;d</name></rtept>
        <rtept lat="90" lon="-180"><name><![CDATA[x]]></name></rtept></rte></gpx>
        """#,
    ]
}
