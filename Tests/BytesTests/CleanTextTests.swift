import Bytes
import Testing

@Suite struct CleanTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("Zoë 🏃‍♀️ 🏃🏽‍♀️ ❤️", "Zoë 🏃‍♀️ 🏃🏽‍♀️ ❤️"), ("a\u{200C}b", "a\u{200C}b"),
        // Terminal escape sequences: a title, a color, a one-byte sequence, the bell.
        ("\u{1B}]0;mine\u{7}x", "]0;minex"), ("\u{1B}[31mred", "[31mred"), ("\u{9B}31m", "31m"),
        ("a\u{0}b\u{8}c\u{7F}d\u{80}e\u{9F}f", "abcdef"),
        ("tab\tline\r\nnext\u{B}\u{C}\u{85}end", "tab line  next   end"),
        ("a\u{2028}b\u{2029}c", "a b c"),
        // Characters that change the writing direction.
        ("\u{202E}evil\u{2066}x\u{2069}\u{200E}\u{200F}\u{061C}", "evilx"),
        // Zero-width characters.
        ("zero\u{200B}width\u{FEFF}", "zerowidth"), ("a\u{2060}b\u{AD}c\u{34F}d", "abcd"),
        ("\u{3164}\u{115F}\u{1160}\u{FFA0}\u{180E}", ""),
        // Tag characters, which encode invisible text.
        ("a\u{E0041}\u{E007F}b\u{E0100}", "ab"), ("a\u{FFF9}b\u{FFFB}", "ab"),
    ])
    func `A text keeps what can be seen and nothing else`(text: String, clean: String) {
        #expect(CleanText.clean(text) == clean)
        #expect(Array(CleanText.clean(text).utf8) == Array(clean.utf8))
    }

    @Test(arguments: [
        ("  a  ", 80, "a"), ("abcdef", 3, "abc"), ("\u{202E}", 80, ""), ("ab  cd", 3, "ab"),
        ("\n a\tb \n", 80, "a b"), ("👩‍👩‍👧‍👦x", 1, "👩‍👩‍👧‍👦"), ("x", 0, ""),
    ])
    func `A bounded text has no spaces around it`(
        text: String, charactersMax: Int, clean: String
    ) {
        #expect(CleanText.clean(text, charactersMax: charactersMax) == clean)
    }

    @Test func `A letter with endless marks is cut`() {
        let marks = "e" + String(repeating: "\u{301}", count: 10_000)
        #expect(CleanText.clean(marks, charactersMax: 80).unicodeScalars.count <= 640)
    }

    /// The reference is the standard library's Unicode data: the table must cover each such scalar.
    @Test func `Of all scalars none is left that steers, hides or is longer than it was`() {
        // Joiners and variation selectors, which emoji need.
        let needed: Set<UInt32> = Set([0x200C, 0x200D]).union(0xFE00...0xFE0F)
        var wrong: [String] = []
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), let clean = CleanText.clean(scalar) else {
                continue
            }
            let properties = clean.properties
            let isUnseen =
                properties.generalCategory == .control || properties.isBidiControl
                || properties.isDefaultIgnorableCodePoint
                || [.lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
            if isUnseen && !needed.contains(value) || clean != scalar && clean != " "
                || CleanText.clean(clean) != clean || UTF8.width(clean) > UTF8.width(scalar)
            {
                wrong.append(String(value, radix: 16))
            }
        }
        #expect(wrong.isEmpty)
    }
}
