import Crypto
public import SensorModel

extension ShareID {
    /// What is stored in the ID's place, and what a share is looked up by.
    public var hash: SecretHash {
        SecretHash(SHA256.hash(data: Array("pulsecast-share\n".utf8) + bytes))
    }

    /// From ``bytes``, as they come out of a seal; `nil` unless there are 16.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(TextForm.base64URL(bytes))
    }
}
