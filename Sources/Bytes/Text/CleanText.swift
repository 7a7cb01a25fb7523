/// Removes characters that could disturb a log line, a page or a terminal.
///
/// The same rule applies to every text of a device, an owner or a server, read or shown.
package enum CleanText {
    /// Removes control characters, invisible characters and marks of writing direction; tabs and
    /// line ends become spaces, so that words stay apart.
    ///
    /// - Returns: The text; in UTF-8 never longer than `text`. A second call changes nothing.
    package static func clean(_ text: String) -> String {
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let scalar = Self.clean(scalar) { clean.append(scalar) }
        }
        return String(clean)
    }

    /// The cleaned text without spaces at either end, of at most `charactersMax` characters.
    package static func clean(_ text: String, charactersMax: Int) -> String {
        // A character may have any number of combining marks, so the scalars have a limit too.
        let bounded = String(text.unicodeScalars.prefix(charactersMax * 8))
        var cut = clean(bounded).drop { $0 == " " }.prefix(charactersMax)
        while cut.last == " " { cut.removeLast() }
        return String(cut)
    }

    /// - Returns: The scalar, or a space in its place; `nil`: dropped.
    @inlinable
    package static func clean(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x20...0x7E: return scalar
        // Tab and line ends.
        case 0x09...0x0D, 0x85, 0x2028, 0x2029: return " "
        default: return isLeftOut(scalar.value) ? nil : scalar
        }
    }

    /// Joiners (200C, 200D) and emoji variants (FE00 to FE0F) stay: scripts and emoji need them.
    @usableFromInline
    static func isLeftOut(_ value: UInt32) -> Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F: true  // control characters
        case 0xAD, 0x034F, 0x200B, 0x2060...0x2065, 0xFEFF: true  // zero width
        case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x17B4, 0x17B5, 0x180B...0x180F: true  // fillers
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x206F: true  // direction
        case 0xFFF0...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A: true  // notes and formats
        case 0xE0000...0xE0FFF: true  // tags
        default: false
        }
    }
}
