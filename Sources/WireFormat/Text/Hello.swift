public import SensorModel

/// A device's first frame: the device's identity, and the recording that it continues.
public struct Hello: Hashable, Sendable {
    /// Token; `nil` if the token came with the request or a proof replaces it.
    public var token: String?
    /// HMAC of ``sessionText`` and ``sentAtText``, in hexadecimal.
    public var proof: String?
    /// The device's name; present with a proof.
    public var device: String?
    public var session: SessionID
    /// ``session`` as written in the hello: some devices use capitals.
    public var sessionText: String
    /// The device's clock at sending, seconds since 1970.
    public var sentAt: Double?
    /// ``sentAt`` as written in the hello, byte for byte; empty if it is missing.
    public var sentAtText: String
    /// Whether frames are from a recording, so that their times may be far from arrival.
    public var recorded: Bool

    public init(
        token: String? = nil, proof: String? = nil, device: String? = nil, session: SessionID,
        sessionText: String? = nil, sentAt: Double? = nil, sentAtText: String = "",
        recorded: Bool = false
    ) {
        self.token = token
        self.proof = proof
        self.device = device
        self.session = session
        self.sessionText = sessionText ?? "\(session)"
        self.sentAt = sentAt
        self.sentAtText = sentAtText
        self.recorded = recorded
    }
}
