public import SensorModel

/// The applications whose requests `/in/<format>/<token>` takes.
public enum PushFormat: String, CaseIterable, Sendable {
    case sensorlogger, owntracks, overland, osmand, gpslogger, hr, hrpush, runnerup

    /// The format of an application, as people write its name: `Sensor Logger`, `hr-push`.
    public init?(application: String) {
        let letters = application.lowercased().filter(\.isLetter)
        switch letters {
        case "traccar", "traccarclient": self = .osmand
        default: self.init(rawValue: letters)
        }
    }

    /// Whether the format also comes as GET, everything in the query.
    public var takesGet: Bool {
        switch self {
        case .osmand, .gpslogger, .hr: true
        case .sensorlogger, .owntracks, .overland, .hrpush, .runnerup: false
        }
    }

    /// The frames of one request; never fails: what cannot be used is counted and answered.
    ///
    /// - Parameters:
    ///   - request: Already authenticated.
    ///   - commands: Waiting for the device; given to it where the format can carry them.
    /// - Returns: With the exact answer the application waits for.
    public func batch(of request: PushRequest, commands: [PushCommand] = []) -> PushBatch {
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
            }
        } catch {
            var batch = PushBatch(reply: refusal(400, .notAFrame, error.reason))
            batch.refused.add(error.reason)
            return batch
        }
    }

    /// What to answer a request whose token is not accepted.
    public var tokenRefusal: PushReply {
        refusal(401, .tokenRefused, "token refused: make a new one and set it up again")
    }

    /// Sensor Logger shows its user the text of a 499 and of nothing else.
    private func refusal(_ status: Int, _ code: CloseCode, _ reason: String) -> PushReply {
        guard self == .sensorlogger else {
            return .refusal(status: status, code, reason)
        }
        return PushReply(
            status: 499, contentType: "text/plain; charset=utf-8",
            body: Array("Pulsecast: \(reason)".utf8))
    }
}

/// One request, as the HTTP server saw it.
public struct PushRequest: Sendable {
    /// Without the question mark, still percent-encoded; empty: none.
    public var query: String
    /// Of the header, any case; `nil`: none.
    public var contentType: String?
    public var body: [UInt8]
    /// For items without a time of their own.
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

/// What the owner wants the device to do.
public enum PushCommand: String, CaseIterable, Sendable {
    case start, stop, pause, resume, lap
}

/// A request that is not of its format; the reason is a sentence for whoever set it up.
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
