import Client
import Foundation
import Registry
import Runtime
import Secrets
import SensorModel
import Transport

/// A run that is delivered, as its target is told of it.
struct DeliveredRun: Hashable, Sendable {
    let session: SessionID
    let device: String
    /// What its owner calls it; `nil`: unnamed.
    let name: String?
    /// Device times of its first and last frame.
    let times: ClosedRange<Timestamp>

    /// The start in UTC and the session, as `20261129T073000Z-1a2b3c4d-….fit`.
    var fileName: String {
        let start = times.lowerBound.iso8601(decimals: 0).filter { $0 != "-" && $0 != ":" }
        return "\(start)-\(session).fit"
    }
}

/// The request that brings a file to a server, around the file's bytes.
struct DeliveryRequest: Sendable {
    static let intervalsURL = "https://intervals.icu"

    let address: ServerAddress
    let path: String
    var fields: HTTPFields
    /// Bytes of the body before the file.
    let head: [UInt8]
    /// Bytes of the body after it.
    let tail: [UInt8]

    /// - Parameters:
    ///   - run: What is delivered.
    ///   - target: A target that is a server.
    ///   - delivery: The same for each try.
    ///   - boundary: Separates the form's parts; no file contains it by chance.
    /// - Throws: ``ClientError/badAddress(_:)``
    init(
        _ run: DeliveredRun, to target: DeliveryTarget, delivery: String, boundary: String
    ) throws(ClientError) {
        address = try Self.address(of: target)
        var form = MultipartForm(boundary: boundary)
        fields = [
            "Content-Type": form.contentType, "User-Agent": "pulsecast/\(Version.text)",
        ]
        switch target.kind {
        case .webhook, .folder:
            path = address.target
            form.append("session", "\(run.session)")
            form.append("device", run.device)
            form.append("startedAt", "\(run.times.lowerBound.secondsSince1970)")
            form.append("endedAt", "\(run.times.upperBound.secondsSince1970)")
            if let name = run.name { form.append("name", name) }
            fields["X-Pulsecast-Event"] = "run"
            fields["X-Pulsecast-Delivery"] = delivery
        case .intervals:
            var query = "?external_id=\(run.session)"
            if let name = run.name { query += "&name=\(Self.encoded(name))" }
            path = Self.path("/api/v1/athlete/0/activities", below: address) + query
            let user = Data("API_KEY:\(target.secret ?? "")".utf8).base64EncodedString()
            fields["Authorization"] = "Basic \(user)"
        case .fittrackee:
            path = Self.path("/api/workouts", below: address)
            form.append("data", Self.workout(run, sport: target.sport))
            if let token = FitTrackeeSecret(target.secret).accessToken {
                fields["Authorization"] = "Bearer \(token)"
            }
        }
        form.beginFile(named: run.fileName, type: "application/vnd.ant.fit")
        head = form.bytes
        tail = form.end
    }

    static func address(of target: DeliveryTarget) throws(ClientError) -> ServerAddress {
        let isUsual = target.kind == .intervals && target.address.isEmpty
        return try ServerAddress(isUsual ? intervalsURL : target.address)
    }

    /// A path below that of the address: a server may not be at its host's root.
    static func path(_ path: String, below address: ServerAddress) -> String {
        let base = address.target.split(separator: "/").joined(separator: "/")
        return (base.isEmpty ? "" : "/" + base) + path
    }

    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// FitTrackee's form of a workout (its API documentation, `POST /api/workouts`).
    private static func workout(_ run: DeliveredRun, sport: Int) -> String {
        struct Workout: Encodable {
            let sport_id: Int
            let title: String?
            let notes: String
        }
        return JSONBody.text(
            Workout(sport_id: sport, title: run.name, notes: "Pulsecast \(run.session)"))
    }
}
