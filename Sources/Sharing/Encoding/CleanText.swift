/// Takes out of a text what a log line, a page or a terminal could trip over.
public enum CleanText {
    /// At most `charactersMax` characters, without control characters, without what turns the
    /// direction of writing or cannot be seen, without spaces at either end.
    public static func clean(_ text: String, charactersMax: Int) -> String {
        var clean = String.UnicodeScalarView()
        // A character may carry any number of combining marks: bound the scalars too.
        for scalar in text.unicodeScalars.prefix(charactersMax * 8) where isAllowed(scalar) {
            clean.append(scalar)
        }
        var cut = String(clean).drop { $0 == " " }.prefix(charactersMax)
        while cut.last == " " { cut.removeLast() }
        return String(cut)
    }

    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F: false  // control characters
        case 0x061C, 0x200B, 0x200E, 0x200F, 0x2060...0x2064, 0xFEFF: false  // unseen
        case 0x2028...0x202E, 0x2066...0x206F: false  // new lines, changes of direction
        case 0xFFF9...0xFFFB, 0xE0000...0xE007F: false  // notes and tags
        default: true
        }
    }
}
