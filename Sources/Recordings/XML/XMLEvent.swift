/// One step through an XML document; names are local, without their namespace's prefix.
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

/// Reason for which a document is not XML that this reader accepts.
struct XMLProblem: Error, Hashable, Sendable {
    var byte: Int
    var problem: String
}
