/// A name that people say to each other to find a share: 3 to 32 of `a`…`z`, `0`…`9`, `-` and `_`.
///
/// ASCII alone, in lower case: two names that look or sound alike are the same name.
public struct PublicName: Hashable, Sendable {
    public let text: String

    /// Prefix of the name in places where a share's ID may also stand.
    public static let mark: Character = "@"

    /// Returns `nil` if the text is no name.
    ///
    /// - Parameter text: The name in any case, with or without the mark.
    public init?(_ text: String) {
        let name = text.first == Self.mark ? text.dropFirst() : text[...]
        // The check precedes lower-casing, which can turn letters of other scripts into ASCII.
        guard (3...32).contains(name.utf8.count), name.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        self.text = name.lowercased()
    }

    /// Returns `nil` if the text is no name with its mark.
    ///
    /// - Parameter text: The text in place of a share's ID.
    public init?(marked text: String) {
        guard text.first == Self.mark else { return nil }
        self.init(text)
    }

    /// The name with its mark.
    public var marked: String { "\(Self.mark)\(text)" }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
