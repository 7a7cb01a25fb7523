/// Reads XML one event at a time: the subset for GPX and TCX, without access to external resources.
///
/// Only the five entities of XML and character references are allowed. A DOCTYPE with declarations
/// is refused, so no text can expand or be fetched. Depth, names and texts are bounded.
struct XMLReader {
    static let depthMax = 64
    static let nameBytesMax = 256
    static let attributesMax = 64
    static let textBytesMax = 1 << 20

    let bytes: [UInt8]
    private(set) var index = 0
    private var open: [String] = []
    private var rootSeen = false
    /// Name of an element that opened and closed in one tag.
    private var pendingEnd: String?
    /// Whether bytes from 0x80 are Latin-1 characters instead of UTF-8.
    private var isLatin1 = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// - Returns: The next event; `nil` after the end of the document.
    mutating func next() throws(XMLProblem) -> XMLEvent? {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name: name)
        }
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else {
                guard let text = try text() else { continue }
                return text
            }
            if let event = try markup() { return event }
        }
        guard open.isEmpty else { throw problem("the file ends inside <\(open.last ?? "")>") }
        guard rootSeen else { throw problem("no element") }
        return nil
    }

    /// Skips everything to the end of the element whose start was the last event.
    mutating func skipElement() throws(XMLProblem) {
        var depth = 1
        while depth > 0, let event = try next() {
            switch event {
            case .start: depth += 1
            case .end: depth -= 1
            case .text: break
            }
        }
    }

    /// The text of the element whose start was the last event, without that of its children.
    mutating func textOfElement() throws(XMLProblem) -> String {
        var result = ""
        while let event = try next() {
            switch event {
            case .start: try skipElement()
            case .text(let text): result += text
            case .end: return result
            }
        }
        return result
    }

    private mutating func text() throws(XMLProblem) -> XMLEvent? {
        let start = index
        var blank = true
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
            if bytes[index] > 0x20 { blank = false }
            index += 1
        }
        if blank { return nil }
        guard !open.isEmpty else { throw problem("text outside of the document") }
        return .text(try decoded(start..<index))
    }

    private mutating func markup() throws(XMLProblem) -> XMLEvent? {
        if take("<!--") {
            try skip(past: "-->", what: "comment")
            return nil
        }
        if take("<![CDATA[") {
            let start = index
            try skip(past: "]]>", what: "CDATA")
            let range = start..<index - 3
            guard !open.isEmpty else { throw problem("CDATA outside of the document") }
            guard range.count <= Self.textBytesMax else { throw problem("CDATA too long") }
            return range.isEmpty ? nil : .text(try string(range))
        }
        if take("<?") {
            try declaration()
            return nil
        }
        if take("<!") {
            try doctype()
            return nil
        }
        if take("</") { return try endTag() }
        index += 1
        return try startTag()
    }

    private mutating func declaration() throws(XMLProblem) {
        let start = index
        try skip(past: "?>", what: "declaration")
        guard bytes[start..<index].starts(with: Array("xml ".utf8)) else { return }
        let text = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
        isLatin1 = text.contains("iso-8859-1") || text.contains("windows-1252")
        if text.contains("utf-16") { throw problem("UTF-16 is not supported, save it as UTF-8") }
    }

    private mutating func doctype() throws(XMLProblem) {
        while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
            if bytes[index] == UInt8(ascii: "[") {
                throw problem("a DOCTYPE with declarations, which is not allowed")
            }
            index += 1
        }
        guard index < bytes.count else { throw problem("an unfinished DOCTYPE") }
        index += 1
    }

    private mutating func endTag() throws(XMLProblem) -> XMLEvent {
        let name = try name()
        skipBlanks()
        guard index < bytes.count, bytes[index] == UInt8(ascii: ">") else {
            throw problem("an unfinished </\(name)>")
        }
        index += 1
        guard open.last == name else {
            throw problem("</\(name)> where </\(open.last ?? "")> was expected")
        }
        open.removeLast()
        return .end(name: name)
    }

    private mutating func startTag() throws(XMLProblem) -> XMLEvent {
        guard !rootSeen || !open.isEmpty else { throw problem("a second document") }
        let name = try name()
        rootSeen = true
        var attributes: [XMLAttribute] = []
        while true {
            skipBlanks()
            guard index < bytes.count else { throw problem("an unfinished <\(name)>") }
            if take("/>") {
                pendingEnd = name
                return .start(name: name, attributes: attributes)
            }
            if take(">") { break }
            guard attributes.count < Self.attributesMax else {
                throw problem("too many attributes")
            }
            attributes.append(try attribute())
        }
        guard open.count < Self.depthMax else { throw problem("elements nested too deep") }
        open.append(name)
        return .start(name: name, attributes: attributes)
    }

    private mutating func attribute() throws(XMLProblem) -> XMLAttribute {
        let name = try name()
        skipBlanks()
        guard take("=") else { throw problem("attribute \(name) without a value") }
        skipBlanks()
        guard index < bytes.count else { throw problem("attribute \(name) without a value") }
        let quote = bytes[index]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw problem("attribute \(name) without quotes")
        }
        index += 1
        let start = index
        while index < bytes.count, bytes[index] != quote { index += 1 }
        guard index < bytes.count else { throw problem("an unfinished attribute \(name)") }
        index += 1
        return XMLAttribute(name: name, value: try decoded(start..<index - 1))
    }

    private mutating func name() throws(XMLProblem) -> String {
        let start = index
        var localStart = index
        while index < bytes.count, Self.isNameByte(bytes[index]) {
            if bytes[index] == UInt8(ascii: ":") { localStart = index + 1 }
            index += 1
        }
        guard index > localStart, index - start <= Self.nameBytesMax else {
            throw problem("a name expected")
        }
        return String(decoding: bytes[localStart..<index], as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x80...0xFF: true
        case UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }

    private mutating func skipBlanks() {
        while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
    }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[index...].starts(with: text.utf8) else { return false }
        index += text.utf8.count
        return true
    }

    private mutating func skip(past end: StaticString, what: String) throws(XMLProblem) {
        let wanted = Array(end.description.utf8)
        while index + wanted.count <= bytes.count {
            if bytes[index] == wanted[0], bytes[index...].starts(with: wanted) {
                index += wanted.count
                return
            }
            index += 1
        }
        throw problem("an unfinished \(what)")
    }

    func problem(_ text: String) -> XMLProblem {
        XMLProblem(byte: index, problem: text)
    }
}

extension XMLReader {
    private func string(_ range: Range<Int>) throws(XMLProblem) -> String {
        guard range.count <= Self.textBytesMax else { throw problem("text too long") }
        if isLatin1 {
            var text = ""
            for byte in bytes[range] { text.unicodeScalars.append(UnicodeScalar(byte)) }
            return text
        }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    private func decoded(_ range: Range<Int>) throws(XMLProblem) -> String {
        guard bytes[range].contains(UInt8(ascii: "&")) else { return try string(range) }
        var result = ""
        var from = range.lowerBound
        while let ampersand = bytes[from..<range.upperBound].firstIndex(of: UInt8(ascii: "&")) {
            result += try string(from..<ampersand)
            let limit = min(ampersand + 12, range.upperBound)
            guard let end = bytes[ampersand..<limit].firstIndex(of: UInt8(ascii: ";")),
                let scalar = Self.entity(bytes[ampersand + 1..<end])
            else { throw problem("an unknown entity") }
            result.unicodeScalars.append(scalar)
            from = end + 1
        }
        return result + (try string(from..<range.upperBound))
    }

    private static func entity(_ name: ArraySlice<UInt8>) -> UnicodeScalar? {
        let text = String(decoding: name, as: UTF8.self)
        switch text {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard text.hasPrefix("#") else { return nil }
        let hexadecimal = text.hasPrefix("#x") || text.hasPrefix("#X")
        let digits = text.dropFirst(hexadecimal ? 2 : 1)
        return UInt32(digits, radix: hexadecimal ? 16 : 10).flatMap { UnicodeScalar($0) }
    }
}
