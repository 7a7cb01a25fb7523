import Bytes

/// Iterates over the rows of a CSV text: fields are ranges of bytes, without copies.
///
/// Quoted fields may hold commas but no line ends, which the values read here never need.
struct CSVTable {
    let bytes: [UInt8]
    /// Fields of the first line, trimmed and in lower case.
    let columns: [String]
    private let bodyStart: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
        let line = String(decoding: bytes[start..<min(end, start + 4096)], as: UTF8.self)
        columns = line.split(separator: ",", omittingEmptySubsequences: false).map {
            String($0.filter { !$0.isWhitespace && $0 != "\"" }).lowercased()
        }
        bodyStart = min(end + 1, bytes.count)
    }

    /// Calls `body` for each row that is not blank, with the byte ranges of its fields.
    ///
    /// - Parameters:
    ///   - fieldsMax: Fields per row; further ones are ignored.
    ///   - body: Receives the bytes, the ranges and the number of ranges in this row.
    func forEachRow(fieldsMax: Int, _ body: (Span<UInt8>, [Range<Int>], Int) -> Void) {
        let span = bytes.span
        var fields = [Range<Int>](repeating: 0..<0, count: fieldsMax)
        var index = bodyStart
        let end = span.count
        while index < end {
            var count = 0
            var fieldStart = index
            var quoted = false
            while index < end {
                let byte = span[index]
                if byte == 0x22 {
                    quoted.toggle()
                } else if byte == 0x2C, !quoted {
                    if count < fieldsMax {
                        fields[count] = fieldStart..<index
                        count += 1
                    }
                    fieldStart = index + 1
                } else if byte == 0x0A {
                    break
                }
                index += 1
            }
            if count < fieldsMax {
                fields[count] = fieldStart..<index
                count += 1
            }
            let isBlank = count == 1 && NumberText.trimmed(span, fields[0]).isEmpty
            if !isBlank { body(span, fields, count) }
            index += 1
        }
    }

    /// The number in a column of a row; `nil` if there is no such column, or no number in it.
    static func number(
        _ bytes: Span<UInt8>, _ fields: [Range<Int>], _ count: Int, _ column: Int?
    ) -> Double? {
        guard let column, column < count, !fields[column].isEmpty else { return nil }
        return NumberText.double(bytes, fields[column])
    }
}
