/// A JSON text as a tree; integers stay exact, so nanoseconds since 1970 keep every digit.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        // The last of equal names counts, as in JavaScript.
        return members.last { $0.name == key }?.value
    }

    /// A JSON number; `nil` for a number in text.
    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// A JSON number, or a number in a JSON string, as many senders write it.
    package var lenientDouble: Double? {
        if case .string(let text) = self { return NumberText.double(text) }
        return double
    }

    package var int64: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    package var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    package var array: [JSONValue]? {
        guard case .array(let values) = self else { return nil }
        return values
    }

    package var members: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}

package struct JSONMember: Hashable, Sendable {
    package var name: String
    package var value: JSONValue
}

/// The reason why a text is not JSON.
package struct JSONProblem: Error, Hashable, Sendable {
    package var byte: Int
    package var problem: String
}
