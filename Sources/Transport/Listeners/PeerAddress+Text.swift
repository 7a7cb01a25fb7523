extension PeerAddress {
    /// Parses an IPv4 or IPv6 address, with or without brackets and port. `nil` for anything else.
    public init?(_ text: String) {
        var bare = Substring(text)
        if bare.hasPrefix("[") {
            guard let end = bare.firstIndex(of: "]") else { return nil }
            bare = bare[..<end].dropFirst()
        } else if let colon = bare.firstIndex(of: ":"), bare[..<colon].contains(".") {
            bare = bare[..<colon]  // A port: in IPv6 the dots come after the colons.
        }
        if let zone = bare.firstIndex(of: "%") { bare = bare[..<zone] }
        guard let bytes = bare.contains(":") ? Self.ipv6(bare) : Self.ipv4(bare) else {
            return nil
        }
        self.init(bytes: bytes)
    }

    private static func ipv4(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ $0 != 0x2B }),
                let byte = UInt8(part)
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func ipv6(_ text: Substring) -> [UInt8]? {
        guard let gap = text.firstRange(of: "::") else {
            guard let bytes = groups(text), bytes.count == 16 else { return nil }
            return bytes
        }
        guard let front = groups(text[..<gap.lowerBound]),
            let back = groups(text[gap.upperBound...]), front.count + back.count <= 14
        else { return nil }
        return front + [UInt8](repeating: 0, count: 16 - front.count - back.count) + back
    }

    /// Parses groups of four hexadecimal digits; the last may be an IPv4 address.
    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(".") {
                guard let tail = ipv4(part) else { return nil }
                return bytes + tail
            }
            guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0 != 0x2B }),
                let group = UInt16(part, radix: 16)
            else { return nil }
            bytes += [UInt8(group >> 8), UInt8(truncatingIfNeeded: group)]
        }
        return bytes
    }
}
