import Bytes
import Recordings
import Registry
import Runtime
import SensorModel
import Sharing
import Transport

/// The course a runner plans to follow, read and written as GPX.
struct CourseService: Sendable {
    let administration: Administration

    private struct Row: Encodable {
        let name: String
        let points: Int
        let checkpoints: [String]
        let changedAt: Double
    }

    func show(_ device: Device) throws -> HTTPResponse {
        guard let course = try administration.accounts.registry.course(of: device.id) else {
            throw APIRefusal.notFound("there is no course: send one as GPX")
        }
        return HTTPResponse(
            status: 200, fields: ["Content-Type": "application/gpx+xml"],
            body: .bytes(course.gpx))
    }

    func take(_ gpx: [UInt8], of device: Device) throws -> HTTPResponse {
        let read: GPXCourse
        do throws(RecordingError) { read = try GPXCourse.read(gpx) } catch {
            throw APIRefusal.badBody(reason: "\(error)")
        }
        let name = CleanText.clean(read.name ?? "", charactersMax: 64)
        let now = administration.clock()
        let course = Course(read)
        try administration.setCourse(
            StoredCourse(name: name, gpx: gpx, changedAt: now), course, of: device)
        return JSONBody.response(
            Row(
                name: name, points: read.points.count,
                checkpoints: course.checkpoints.map(\.name), changedAt: now.secondsSince1970))
    }

    func remove(_ device: Device) throws -> HTTPResponse {
        try administration.setCourse(nil, nil, of: device)
        return HTTPResponse(status: 204)
    }
}
