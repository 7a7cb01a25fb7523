import Runtime
import SegmentLog
import SensorModel
import Sharing
import Transport

/// Plays a recorded session to the viewers of a share, for as long as the command renews it.
struct PlaybackRoutes: Sendable {
    let administration: Administration
    let pipeline: Pipeline
    let clock: @Sendable () -> Timestamp

    func add(to router: inout Router) {
        router.add(.post, "/shares/:name/playback") { request in
            await answer { try await begin(request) }
        }
        router.add(.post, "/shares/:name/playback/renew") { request in
            await answer { try await renew(request) }
        }
        router.add(.delete, "/shares/:name/playback") { request in
            await answer {
                pipeline.playbacks.end(on: try share(request).key)
                return HTTPResponse(status: 204)
            }
        }
    }

    private struct Body: Decodable {
        let session: String
        /// Multiple of the recorded speed; absent: as fast as viewers can receive.
        let speed: Double?
        /// Start: device time, or seconds since the session's start.
        let from: Double?
        let until: Double?
        let loop: Bool?
    }

    private struct Row: Encodable {
        let session: String
        /// Device time that is shown now; absent when the playback is over.
        let position: Double?
        let from: Double
        let until: Double
        let durationSeconds: Double
        let viewers: Int
    }

    private func begin(_ request: HTTPRequest) async throws -> HTTPResponse {
        let share = try share(request)
        let body = try JSONBody.decode(Body.self, of: request)
        guard share.device != nil else {
            throw APIRefusal.badField(name: "share", allowed: "a share of one device")
        }
        guard let session = SessionID(body.session) else {
            throw APIRefusal.badField(name: "session", allowed: "a session's UUID")
        }
        guard let summary = pipeline.catalog.summary(of: session),
            let recorded = summary.deviceTimes
        else { throw AdministrationError.unknownSession(session) }
        // A share obeys only the zones of its own device; those of another would not be hidden.
        guard summary.device == share.device else {
            throw APIRefusal.conflict(
                "the session is of another device than the share: play it on one of that device's")
        }
        let speed = body.speed ?? SharePlayback.speedRange.upperBound
        guard SharePlayback.speedRange.contains(speed) else {
            throw APIRefusal.badField(
                name: "speed",
                allowed: "\(SharePlayback.speedRange.lowerBound) to"
                    + " \(Int(SharePlayback.speedRange.upperBound)), or max")
        }
        let from = try body.from.map { try time($0, "from", in: recorded) }
        let until = try body.until.map { try time($0, "until", in: recorded) }
        let first = max(from ?? recorded.lowerBound, recorded.lowerBound)
        let last = min(until ?? recorded.upperBound, recorded.upperBound)
        guard first <= last else {
            throw APIRefusal.badField(name: "until", allowed: "a time after from")
        }
        let now = clock()
        let playback = SharePlayback(
            session: session, times: first...last, speed: speed, loops: body.loop ?? false,
            startedAt: now, leaseEnd: now.advanced(bySeconds: SharePlayback.leaseSeconds))
        let viewers = try await pipeline.playbacks.begin(playback, on: share)
        return JSONBody.response(row(playback, viewers: viewers), status: 201)
    }

    private func renew(_ request: HTTPRequest) async throws -> HTTPResponse {
        let key = try share(request).key
        guard let playback = pipeline.playbacks.renew(on: key, at: clock()) else {
            throw APIRefusal.notFound("nothing is played to this share any more")
        }
        let watching = await pipeline.mailbox.ask { $0.subscribers.watching(key).count }
        return JSONBody.response(row(playback, viewers: watching ?? 0))
    }

    private func row(_ playback: SharePlayback, viewers: Int) -> Row {
        Row(
            session: "\(playback.session)",
            position: playback.position(at: clock())?.secondsSince1970,
            from: playback.times.lowerBound.secondsSince1970,
            until: playback.times.upperBound.secondsSince1970,
            durationSeconds: playback.durationSeconds, viewers: viewers)
    }

    private func share(_ request: HTTPRequest) throws -> Share {
        try administration.share(namedOrID: request.parameters["name"] ?? "")
    }

    private func time(
        _ seconds: Double, _ name: String, in recorded: ClosedRange<Timestamp>
    ) throws(APIRefusal) -> Timestamp {
        guard let time = Timestamp(seconds: seconds, inRecordingFrom: recorded.lowerBound)
        else {
            throw .badField(name: name, allowed: "seconds")
        }
        return time
    }
}
