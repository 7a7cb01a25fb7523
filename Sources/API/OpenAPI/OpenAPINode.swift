/// A JSON value of the API's OpenAPI description.
package indirect enum OpenAPINode: Hashable, Sendable {
    case object([String: OpenAPINode])
    case array([OpenAPINode])
    case text(String)
    case number(Double)
    case flag(Bool)
}

extension OpenAPINode: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .object(let members): try container.encode(members)
        case .array(let elements): try container.encode(elements)
        case .text(let text): try container.encode(text)
        case .number(let number) where number == number.rounded() && abs(number) < 1e15:
            try container.encode(Int64(number))
        case .number(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        }
    }
}

extension OpenAPINode: ExpressibleByStringInterpolation, ExpressibleByFloatLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .text(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(integerLiteral value: Int) { self = .number(Double(value)) }
    package init(booleanLiteral value: Bool) { self = .flag(value) }
    package init(arrayLiteral elements: OpenAPINode...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, OpenAPINode)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
