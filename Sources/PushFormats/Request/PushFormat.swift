import Bytes
import Recordings
public import SensorModel

/// The applications whose requests `/in/<format>/<token>` accepts.
public enum PushFormat: String, CaseIterable, Sendable {
    // Session IDs contain the position of a case, so new cases are added at the end.
    case sensorlogger, owntracks, overland, osmand, gpslogger, hr, hrpush, runnerup, hds

    /// Finds the format of an application by its usual name, such as `Sensor Logger` or `hr-push`.
    public init?(application: String) {
        let letters = application.lowercased().filter(\.isLetter)
        switch letters {
        case "traccar", "traccarclient": self = .osmand
        case "healthdataserver": self = .hds
        default: self.init(rawValue: letters)
        }
    }

    /// Whether the format also allows GET with all values in the query.
    public var takesGet: Bool {
        switch self {
        case .osmand, .gpslogger, .hr: true
        case .sensorlogger, .owntracks, .overland, .hrpush, .runnerup, .hds: false
        }
    }

    /// Whether the application also sends by PUT.
    public var takesPut: Bool { self == .hds }

    /// Whether the format's messages also arrive as text frames of a WebSocket.
    public var takesSocket: Bool { self == .hrpush || self == .hds }

    /// Decodes one request. It never fails: unusable items are counted and answered.
    ///
    /// - Parameters:
    ///   - request: Authenticated request.
    ///   - commands: Waiting commands for the device; delivered if the format can carry them.
    /// - Returns: The batch, with the exact answer that the application expects.
    public func batch(of request: PushRequest, commands: [PhoneCommand] = []) -> PushBatch {
        do throws(PushProblem) {
            switch self {
            case .sensorlogger: return try SensorLoggerPush.batch(request)
            case .owntracks: return try OwnTracksPush.batch(request, commands)
            case .overland: return try OverlandPush.batch(request)
            case .osmand: return try OsmAndPush.batch(request, commands)
            case .gpslogger: return try GPSLoggerPush.batch(request)
            case .hr: return try HeartRatePush.batch(request)
            case .hrpush: return try StrapRelayPush.batch(request)
            case .runnerup: return try RunnerUpPush.batch(request)
            case .hds: return try HealthDataServerPush.batch(request)
            }
        } catch {
            var batch = PushBatch(reply: refusal(400, .notAFrame, error.reason))
            batch.refused.add(error.reason)
            return batch
        }
    }

    /// The answer to a request with a refused token.
    public var tokenRefusal: PushReply {
        refusal(401, .tokenRefused, "token refused: make a new one and set it up again")
    }

    /// Builds a refusal. Sensor Logger shows its user only the text of status 499.
    private func refusal(_ status: Int, _ code: CloseCode, _ reason: String) -> PushReply {
        guard self == .sensorlogger else {
            return .refusal(status: status, code, reason)
        }
        return PushReply(
            status: 499, contentType: "text/plain; charset=utf-8",
            body: Array("Pulsecast: \(reason)".utf8))
    }
}

/// One request, as received by the HTTP server.
public struct PushRequest: Sendable {
    /// Query without the question mark, still percent-encoded; empty if there is none.
    public var query: String
    /// Value of the header, in any case; `nil` if there is none.
    public var contentType: String?
    public var body: [UInt8]
    /// Time of items without a time of their own.
    public var arrivalTime: Timestamp

    public init(
        query: String = "", contentType: String?, body: [UInt8], arrivalTime: Timestamp
    ) {
        self.query = query
        self.contentType = contentType
        self.body = body
        self.arrivalTime = arrivalTime
    }
}

/// A command from the owner to the device.
public enum PhoneCommand: String, CaseIterable, Sendable {
    case start, stop, pause, resume, lap
}

/// A request that does not match its format; the reason addresses the person who set it up.
struct PushProblem: Error {
    var reason: String
}

extension PushRequest {
    func json() throws(PushProblem) -> JSONValue {
        do throws(JSONProblem) {
            return try JSONValue(parsing: body)
        } catch {
            throw PushProblem(reason: "not JSON: \(error.problem) at byte \(error.byte)")
        }
    }

    func jsonObject() throws(PushProblem) -> JSONValue {
        let value = try json()
        guard value.members != nil else { throw PushProblem(reason: "not a JSON object") }
        return value
    }
}
