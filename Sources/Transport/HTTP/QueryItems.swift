/// Percent-decoded pairs of a query or a form, in order.
public struct QueryItems: Hashable, Sendable {
    public private(set) var items: [(name: String, value: String)]

    /// Maximum number of pairs; further ones are ignored.
    public static let countMax = 256

    public init() {
        items = []
    }

    /// - Parameter text: The text after the `?`; `+` means a space. Pairs that are not UTF-8 are
    ///   left out.
    public init(_ text: some StringProtocol) {
        let pairs = text.split(separator: "&", maxSplits: Self.countMax).prefix(Self.countMax)
        items = pairs.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0].utf8, plusIsSpace: true) else {
                return nil
            }
            guard parts.count == 2 else { return (name, "") }
            return PercentEncoding.decode(parts[1].utf8, plusIsSpace: true).map { (name, $0) }
        }
    }

    /// The first value with that name.
    public subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    public static func == (left: QueryItems, right: QueryItems) -> Bool {
        left.items.elementsEqual(right.items, by: ==)
    }

    public func hash(into hasher: inout Hasher) {
        for item in items {
            hasher.combine(item.name)
            hasher.combine(item.value)
        }
    }
}

/// `%XX` in paths and queries.
enum PercentEncoding {
    /// `nil` for a broken escape or bytes that are not UTF-8.
    static func decode(_ text: some Sequence<UInt8>, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(digit),
                    let low = iterator.next().flatMap(digit)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
