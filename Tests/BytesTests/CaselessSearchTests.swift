import Bytes
import Testing

@Suite struct CaselessSearchTests {
    @Test(arguments: [
        ("", "anything", true), ("a", "", false), ("river", "By the RIVER", true),
        ("RIVER", "by the river", true), ("rivers", "by the river", false),
        ("straße", "STRASSE", true), ("STRASSE", "straße", true), ("ss", "ß", true),
        ("ÜBER", "über", true), ("uber", "über", false), ("ΟΔΟΣ", "οδος", true),
        ("МОСКВА", "москва", true), ("한강", "한강에서", true), ("하강", "한강", false),
        ("🏃", "run 🏃", true), ("Ꭰꭰ", "ꭰᎠ", true), ("ﬃ", "office", true),
        // The beginning of the text repeats within it.
        ("aab", "aaab", true), ("abab ac", "abab abab ac", true), ("aaaab", "aaaa aaab", false),
    ])
    func `A text is found in small letters and capitals, with its accents`(
        text: String, in other: String, isFound: Bool
    ) {
        #expect(CaselessSearch(text).isFound(in: other) == isFound)
    }

    /// The reference has the standard library's capitals and looks at every position.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `What is found is what capitals have in common`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let letters = Array("aAbBßéÉ한ςΣσŉ")
        func text(_ countMax: Int) -> String {
            String(
                (0..<Int.random(in: 0...countMax, using: &random)).compactMap { _ in
                    letters.prefix(Int.random(in: 1...letters.count, using: &random)).last
                })
        }
        for _ in 0..<50 {
            let (sought, other) = (text(4), text(40))
            let pattern = Array(sought.uppercased().unicodeScalars)
            let scalars = Array(other.uppercased().unicodeScalars)
            let isFound =
                pattern.isEmpty
                || scalars.indices.contains { scalars[$0...].starts(with: pattern) }
            #expect(
                CaselessSearch(sought).isFound(in: other) == isFound, "\(sought) in \(other)")
        }
    }

    @Test func `Each scalar has the capitals of the standard library`() {
        var wrong: [UInt32] = []
        for value in UInt32(0)...0x1FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let capitals = scalar.properties.uppercaseMapping
            if !CaselessSearch(String(scalar)).isFound(in: capitals)
                || !CaselessSearch(capitals).isFound(in: String(scalar))
            {
                wrong.append(value)
            }
        }
        #expect(wrong.isEmpty)
    }
}
