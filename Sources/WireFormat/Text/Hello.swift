public import SensorModel

/// A device's first frame: who it is, and which recording goes on.
public struct Hello: Hashable, Sendable {
    /// `nil` where the token came with the request, or a proof stands for it.
    public var token: String?
    /// HMAC of ``sessionText`` and ``sentAtText``, in hexadecimal.
    public var proof: String?
    /// The device's name; goes with a proof.
    public var device: String?
    public var session: SessionID
    /// ``session`` as it stands in the hello: some devices write it in capitals.
    public var sessionText: String
    /// The device's clock when it sent this, seconds since 1970.
    public var sentAt: Double?
    /// ``sentAt`` as it stands in the hello, byte for byte; empty where it is missing.
    public var sentAtText: String
    /// Frames are from a recording: their times may lie far from arrival.
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
