/// Fills references and placeholders in HTML, CSS, JavaScript and the manifest.
///
/// A reference is a quoted name of another file. Between modules it is `"./format.js"`, so that
/// they also run unfilled; elsewhere it is `"/assets/live.css"`. A placeholder is a word in double
/// braces.
struct PageTemplate {
    static let assetsPath = "/assets/"

    let source: [UInt8]

    /// The names of all referenced files, in order.
    ///
    /// - Parameter includingDeferred: Whether modules count that a page loads only when they are
    ///   wanted, by `import("./sharing.js")`.
    /// - Returns: Plain names.
    func references(includingDeferred: Bool = true) -> [String] {
        source.indices.compactMap { position in
            guard let (_, name, _) = quotedReference(at: position),
                includingDeferred || !source[..<position].suffix(7).elementsEqual("import(".utf8)
            else { return nil }
            return name
        }
    }

    /// - Parameters:
    ///   - reference: Returns the versioned name of a file; `nil` leaves the text unchanged.
    ///   - placeholder: Returns the replacement of the word in braces; `nil` leaves the text
    ///     unchanged.
    /// - Returns: The filled text.
    func filled(
        reference: (String) -> String?, placeholder: (String) -> String?
    ) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(source.count)
        var position = 0
        while position < source.count {
            if let (prefix, name, end) = quotedReference(at: position), let new = reference(name) {
                result += Array((prefix + new).utf8)
                position = end
            } else if let (word, end) = bracedWord(at: position), let new = placeholder(word) {
                result += Array(new.utf8)
                position = end
            } else {
                result.append(source[position])
                position += 1
            }
        }
        return result
    }

    /// `"./name` or `"/assets/name` up to, not including, the closing quote.
    private func quotedReference(at start: Int) -> (prefix: String, name: String, end: Int)? {
        guard source[start] == UInt8(ascii: "\"") else { return nil }
        for prefix in ["\"./", "\"\(Self.assetsPath)"] where hasPrefix(prefix, at: start) {
            let nameStart = start + prefix.utf8.count
            let name = source[nameStart...].prefix(while: Self.isNameByte)
            guard name.endIndex < source.count, source[name.endIndex] == UInt8(ascii: "\"") else {
                return nil
            }
            return (prefix, String(decoding: name, as: UTF8.self), name.endIndex)
        }
        return nil
    }

    private func bracedWord(at start: Int) -> (word: String, end: Int)? {
        // Compares the first byte alone, as above: this runs for each byte of a quarter of a
        // megabyte.
        guard source[start] == UInt8(ascii: "{"), hasPrefix("{{", at: start) else { return nil }
        let word = source[(start + 2)...].prefix(while: Self.isNameByte)
        guard hasPrefix("}}", at: word.endIndex) else { return nil }
        return (String(decoding: word, as: UTF8.self), word.endIndex + 2)
    }

    private func hasPrefix(_ prefix: String, at position: Int) -> Bool {
        source[position...].starts(with: prefix.utf8)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// `text` as the value of an HTML attribute or as HTML text.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
