import Crypto
public import SensorModel

extension ShareID {
    /// The hash that is stored instead of the ID, and by which a share is looked up.
    public var hash: SecretHash {
        SecretHash(SHA256.hash(data: Array("pulsecast-share\n".utf8) + bytes))
    }

    /// Restores an ID from ``bytes``, as a seal contains them; `nil` unless there are 16.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(TextForm.base64URL(bytes))
    }
}
