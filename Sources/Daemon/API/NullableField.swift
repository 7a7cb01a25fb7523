/// A field that may be unknown and is always there: `null` then, so that a reader need not ask
/// whether the key exists.
struct NullableField<Value: Encodable>: Encodable {
    private let value: Value?

    init(_ value: Value?) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let value { try container.encode(value) } else { try container.encodeNil() }
    }
}
