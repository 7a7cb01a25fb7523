public import SensorModel

/// The applications whose requests `/in/<format>/<token>` takes.
public enum PushFormat: String, CaseIterable, Sendable {
    case sensorlogger, owntracks, overland, osmand, gpslogger, hr, hrpush, runnerup

    /// Whether the format also comes as GET, everything in the query.
    public var takesGet: Bool {
        switch self {
        case .osmand, .gpslogger, .hr: true
        case .sensorlogger, .owntracks, .overland, .hrpush, .runnerup: false
        }
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

    public init(query: String = "", contentType: String?, body: [UInt8], arrivalTime: Timestamp) {
        self.query = query
        self.contentType = contentType
        self.body = body
        self.arrivalTime = arrivalTime
    }
}

extension PushFormat {
    /// The frames of one request; never fails: what cannot be used is counted and answered.
    ///
    /// - Parameters:
    ///   - request: Already authenticated.
    ///   - commands: Waiting for the device; given to it where the format can carry them.
    /// - Returns: With the exact answer the application waits for.
    public func batch(of request: PushRequest, commands: [PushCommand] = []) -> PushBatch {
        PushBatch(reply: PushReply(status: 200, contentType: nil, body: ""))
    }
}

/// What the owner wants the device to do.
public enum PushCommand: String, CaseIterable, Sendable {
    case start, stop, pause, resume, lap
}
