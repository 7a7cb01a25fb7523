import Bytes

extension Timestamp {
    /// - Parameter text: A date with seconds and an offset from UTC. `nil` for any other text.
    package init?(iso8601 text: Span<UInt8>) {
        guard let microseconds = ISO8601.microseconds(text) else { return nil }
        self.init(microseconds: microseconds)
    }

    /// - Parameter text: A date in one of the forms of ``LooseISO8601``. `nil` for any other text.
    package init?(looseISO8601 text: [UInt8]) {
        guard let microseconds = LooseISO8601.microseconds(text) else { return nil }
        self.init(microseconds: microseconds)
    }

    package init?(looseISO8601 text: some StringProtocol) {
        self.init(looseISO8601: Array(text.utf8))
    }

    /// - Parameters:
    ///   - decimals: Decimals of the second, 0…6. Finer digits are cut, never rounded up.
    ///   - bytes: Grows by text such as `2025-12-12T09:00:00.000Z`.
    package func appendISO8601(decimals: Int, to bytes: inout [UInt8]) {
        ISO8601.append(microseconds: microseconds, decimals: decimals, to: &bytes)
    }

    /// The date in UTC.
    package func iso8601(decimals: Int) -> String {
        var bytes: [UInt8] = []
        appendISO8601(decimals: decimals, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
