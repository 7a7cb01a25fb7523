/// One top-level key with its value, encoded: `"heartRate":{…}`.
public struct Fragment: Hashable, Sendable {
    public let key: FieldKey
    public let audience: Audience
    /// The value is gone: `bytes` spell `null`, which an update says once and a snapshot leaves out.
    public let isNull: Bool
    public let bytes: [UInt8]

    public init(key: FieldKey, audience: Audience, isNull: Bool = false, bytes: [UInt8]) {
        self.key = key
        self.audience = audience
        self.isNull = isNull
        self.bytes = bytes
    }
}
