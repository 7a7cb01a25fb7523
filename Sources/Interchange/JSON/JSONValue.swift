/// A JSON text as a tree. Integers stay integers, so nanoseconds since 1970 keep every digit.
enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        // As in JavaScript the last of equal names wins.
        return members.last { $0.name == key }?.value
    }

    /// A number, written as one; text is none.
    var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// A number, also where the sender wrote it as text, as many do.
    var lenientDouble: Double? {
        if case .string(let text) = self { return NumberText.double(text) }
        return double
    }

    var int64: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    var array: [JSONValue]? {
        guard case .array(let values) = self else { return nil }
        return values
    }

    var members: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}

struct JSONMember: Hashable, Sendable {
    var name: String
    var value: JSONValue
}

/// Why a text is not JSON.
struct JSONProblem: Error, Hashable, Sendable {
    var byte: Int
    var problem: String
}
