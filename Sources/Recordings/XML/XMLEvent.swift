/// One step through an XML document; names are local, without a namespace prefix.
enum XMLEvent: Hashable, Sendable {
    case start(name: String, attributes: [XMLAttribute])
    case end(name: String)
    /// Text with entities and CDATA resolved; never empty.
    case text(String)
}

struct XMLAttribute: Hashable, Sendable {
    var name: String
    var value: String
}

/// The reason why this reader does not accept a document as XML.
struct XMLProblem: Error, Hashable, Sendable {
    var byte: Int
    var problem: String
}
