/// One top-level key with its value, encoded: `"heartRate":{…}`.
public struct Fragment: Hashable, Sendable {
    public let key: FieldKey
    /// Whether the value was removed: `bytes` are `null`. An update sends that once, a snapshot
    /// omits it.
    public let isNull: Bool
    public let visibility: VisibilityMask
    public let bytes: [UInt8]

    public init(key: FieldKey, visibility: VisibilityMask, isNull: Bool = false, bytes: [UInt8]) {
        self.key = key
        self.visibility = visibility
        self.isNull = isNull
        self.bytes = bytes
    }
}
