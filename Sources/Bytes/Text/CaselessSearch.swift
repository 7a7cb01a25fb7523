/// Looks for a text in others, whatever the case of their letters.
///
/// Letters are compared as capitals, so `ß` is `SS`, and `ς` is `σ`. Accents count. A composed
/// character and its decomposed form differ: the caller composes both texts.
///
/// Knuth, Morris, Pratt, "Fast pattern matching in strings", 1977: each scalar is read once, and
/// nothing is allocated.
package struct CaselessSearch: Sendable {
    private let pattern: [Unicode.Scalar]
    /// Scalars that still match after a mismatch, by the number of scalars that matched.
    private let rest: [Int]

    /// - Parameter text: Sought text; an empty one is in every text.
    package init(_ text: String) {
        var pattern: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars { Capitals.forEach(of: scalar) { pattern.append($0) } }
        var rest = Array(repeating: 0, count: pattern.count + 1)
        var matched = 0
        for index in pattern.indices.dropFirst() {
            while matched > 0, pattern[matched] != pattern[index] { matched = rest[matched] }
            if pattern[matched] == pattern[index] { matched += 1 }
            rest[index + 1] = matched
        }
        self.pattern = pattern
        self.rest = rest
    }

    /// - Complexity: O(n) in the length of `text`.
    package func isFound(in text: String) -> Bool {
        guard !pattern.isEmpty else { return true }
        var matched = 0
        for scalar in text.unicodeScalars {
            Capitals.forEach(of: scalar) { capital in
                guard matched < pattern.count else { return }
                while matched > 0, pattern[matched] != capital { matched = rest[matched] }
                if pattern[matched] == capital { matched += 1 }
            }
            if matched == pattern.count { return true }
        }
        return false
    }
}

/// The capitals of letters, as the Unicode character database has them.
private enum Capitals {
    /// Capitals of the scalars of two bytes in UTF-8: Latin, Greek, Cyrillic and others. `nil`:
    /// several scalars. The database takes 40 ns a scalar, the table 2.
    private static let table: [Unicode.Scalar?] = (0..<0x800).map { value in
        guard let scalar = Unicode.Scalar(value) else { return nil }
        let capitals = scalar.properties.uppercaseMapping.unicodeScalars
        return capitals.count == 1 ? capitals.first : nil
    }

    static func forEach(of scalar: Unicode.Scalar, _ body: (Unicode.Scalar) -> Void) {
        switch scalar.value {
        case 0..<0x80:
            let isSmall = UInt8(ascii: "a")...UInt8(ascii: "z") ~= UInt8(scalar.value)
            body(isSmall ? Unicode.Scalar(UInt8(scalar.value) - 0x20) : scalar)
        case 0x80..<0x800:
            guard let capital = table[Int(scalar.value)] else { return lookUp(scalar, body) }
            body(capital)
        // Han, kana, Hangul and pictures have no case.
        case 0x2E80...0xA4CF, 0xAC00...0xD7FF, 0x1F000...0x1FAFF: body(scalar)
        default: lookUp(scalar, body)
        }
    }

    private static func lookUp(_ scalar: Unicode.Scalar, _ body: (Unicode.Scalar) -> Void) {
        for capital in scalar.properties.uppercaseMapping.unicodeScalars { body(capital) }
    }
}
