/// A field that is always present: `null` when the value is unknown, so a reader need not check
/// whether the key exists.
package struct NullableField<Value: Encodable & Sendable>: Encodable, Sendable {
    private let value: Value?

    package init(_ value: Value?) { self.value = value }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let value { try container.encode(value) } else { try container.encodeNil() }
    }
}
