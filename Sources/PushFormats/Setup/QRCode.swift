/// A text as a QR code: byte mode, correction level M (15 % may be lost).
public struct QRCode: Sendable {
    /// Modules per side.
    public let size: Int
    private(set) var dark: [Bool]
    /// Finder, timing and format modules, which hold no data and are never masked.
    private var reserved: [Bool]
    private let version: Int

    /// Correction bytes per block, and number of blocks, for each version from 1.
    private static let correctionBytes = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
    ]
    private static let blocks = [
        1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
    ]

    /// Returns `nil` for more than 666 bytes, because cameras read larger codes badly.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let versions = 1...Self.correctionBytes.count
        guard let version = versions.first(where: { Self.capacity($0) >= bytes.count }) else {
            return nil
        }
        self.version = version
        size = version * 4 + 17
        dark = Array(repeating: false, count: size * size)
        reserved = dark
        drawPatterns()
        drawData(Self.codewords(bytes, version: version))
        drawBestMask()
    }

    public subscript(x: Int, y: Int) -> Bool {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return false }
        return dark[y * size + x]
    }

    /// Text for a terminal: two rows of modules per line, with the quiet zone. Both colors are
    /// drawn, so it works on dark and on light terminals.
    public var terminalText: String {
        var text = ""
        for y in stride(from: -2, to: size + 2, by: 2) {
            for x in -2..<size + 2 {
                switch (self[x, y], self[x, y + 1]) {
                case (false, false): text += "█"
                case (false, true): text += "▀"
                case (true, false): text += "▄"
                case (true, true): text += " "
                }
            }
            text += "\n"
        }
        return text
    }

    private static func rawModules(_ version: Int) -> Int {
        var count = (16 * version + 128) * version + 64
        if version >= 2 {
            let alignments = version / 7 + 2
            count -= (25 * alignments - 10) * alignments - 55
            if version >= 7 { count -= 36 }
        }
        return count
    }

    private static func dataBytes(_ version: Int) -> Int {
        rawModules(version) / 8 - correctionBytes[version - 1] * blocks[version - 1]
    }

    /// Capacity in bytes of text, after 4 bits of mode and 8 or 16 bits of length.
    private static func capacity(_ version: Int) -> Int {
        dataBytes(version) - (version < 10 ? 2 : 3)
    }

    /// Returns data and correction bytes of all blocks, interleaved.
    private static func codewords(_ text: [UInt8], version: Int) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        append(4, 4)
        append(text.count, version < 10 ? 8 : 16)
        for byte in text { append(Int(byte), 8) }
        let dataBytes = dataBytes(version)
        append(0, min(4, dataBytes * 8 - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var pad = 0xEC
        while bits.count < dataBytes * 8 {
            append(pad, 8)
            pad ^= 0xEC ^ 0x11
        }
        let data = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        return interleaved(data, version: version)
    }

    private static func interleaved(_ data: [UInt8], version: Int) -> [UInt8] {
        let blockCount = blocks[version - 1]
        let correction = correctionBytes[version - 1]
        let total = rawModules(version) / 8
        let shortBlocks = blockCount - total % blockCount
        let shortData = total / blockCount - correction
        let generator = ReedSolomon.generator(degree: correction)
        var dataBlocks: [[UInt8]] = []
        var corrections: [[UInt8]] = []
        var start = 0
        for block in 0..<blockCount {
            let end = start + shortData + (block < shortBlocks ? 0 : 1)
            dataBlocks.append(Array(data[start..<end]))
            corrections.append(ReedSolomon.remainder(of: data[start..<end], by: generator))
            start = end
        }
        var result: [UInt8] = []
        for index in 0...shortData {
            for block in dataBlocks where index < block.count { result.append(block[index]) }
        }
        for index in 0..<correction {
            for block in corrections { result.append(block[index]) }
        }
        return result
    }
}

extension QRCode {
    private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return }
        dark[y * size + x] = isDark
        reserved[y * size + x] = true
    }

    private mutating func drawPatterns() {
        for place in 0..<size {
            set(6, place, place % 2 == 0)
            set(place, 6, place % 2 == 0)
        }
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            for dy in -4...4 {
                for dx in -4...4 {
                    let ring = max(abs(dx), abs(dy))
                    set(x + dx, y + dy, ring != 2 && ring != 4)
                }
            }
        }
        let centers = alignmentCenters
        for x in centers {
            for y in centers {
                let inFinder =
                    x == 6 && (y == 6 || y == size - 7) || x == size - 7 && y == 6
                if inFinder { continue }
                for dy in -2...2 {
                    for dx in -2...2 { set(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) }
                }
            }
        }
        drawFormat(mask: 0)
        drawVersion()
    }

    private var alignmentCenters: [Int] {
        guard version > 1 else { return [] }
        let count = version / 7 + 2
        let step = (version * 8 + count * 3 + 5) / (count * 4 - 4) * 2
        return [6] + (0..<count - 1).map { size - 7 - $0 * step }.reversed()
    }

    /// Draws the format. Level M is 0 in the two bits above the mask.
    private mutating func drawFormat(mask: Int) {
        var remainder = mask
        for _ in 0..<10 { remainder = remainder << 1 ^ (remainder >> 9) * 0x537 }
        let bits = (mask << 10 | remainder) ^ 0x5412
        func bit(_ place: Int) -> Bool { bits >> place & 1 == 1 }
        for place in 0...5 { set(8, place, bit(place)) }
        set(8, 7, bit(6))
        set(8, 8, bit(7))
        set(7, 8, bit(8))
        for place in 9..<15 { set(14 - place, 8, bit(place)) }
        for place in 0..<8 { set(size - 1 - place, 8, bit(place)) }
        for place in 8..<15 { set(8, size - 15 + place, bit(place)) }
        set(8, size - 8, true)
    }

    private mutating func drawVersion() {
        guard version >= 7 else { return }
        var remainder = version
        for _ in 0..<12 { remainder = remainder << 1 ^ (remainder >> 11) * 0x1F25 }
        let bits = version << 12 | remainder
        for place in 0..<18 {
            let isDark = bits >> place & 1 == 1
            set(size - 11 + place % 3, place / 3, isDark)
            set(place / 3, size - 11 + place % 3, isDark)
        }
    }

    /// Draws two columns at a time from the right, alternately up and down.
    private mutating func drawData(_ codewords: [UInt8]) {
        var index = 0
        var right = size - 1
        while right >= 1 {
            if right == 6 { right = 5 }
            for step in 0..<size {
                for x in [right, right - 1] {
                    let upward = (right + 1) & 2 == 0
                    let y = upward ? size - 1 - step : step
                    guard !reserved[y * size + x], index < codewords.count * 8 else { continue }
                    dark[y * size + x] = codewords[index / 8] >> UInt8(7 - index % 8) & 1 == 1
                    index += 1
                }
            }
            right -= 2
        }
    }

    private mutating func drawBestMask() {
        let plain = self
        var best: (penalty: Int, code: QRCode)?
        for mask in 0..<8 {
            var code = plain
            code.apply(mask: mask)
            code.drawFormat(mask: mask)
            let penalty = code.penalty
            if penalty < best?.penalty ?? .max { best = (penalty, code) }
        }
        if let best { self = best.code }
    }

    private mutating func apply(mask: Int) {
        for y in 0..<size {
            for x in 0..<size where !reserved[y * size + x] {
                let flips =
                    switch mask {
                    case 0: (x + y) % 2 == 0
                    case 1: y % 2 == 0
                    case 2: x % 3 == 0
                    case 3: (x + y) % 3 == 0
                    case 4: (x / 3 + y / 2) % 2 == 0
                    case 5: x * y % 2 + x * y % 3 == 0
                    case 6: (x * y % 2 + x * y % 3) % 2 == 0
                    default: ((x + y) % 2 + x * y % 3) % 2 == 0
                    }
                if flips { dark[y * size + x].toggle() }
            }
        }
    }

    /// Penalty of a mask: long runs, blocks and an uneven share of dark modules mislead cameras.
    /// The rule about patterns like a finder is omitted, because every mask is readable and the
    /// penalty only selects one.
    private var penalty: Int {
        var penalty = 0
        for line in 0..<size {
            penalty += runs((0..<size).map { self[$0, line] })
            penalty += runs((0..<size).map { self[line, $0] })
        }
        for y in 0..<size - 1 {
            for x in 0..<size - 1 {
                let color = self[x, y]
                let isBlock =
                    self[x + 1, y] == color && self[x, y + 1] == color
                    && self[x + 1, y + 1] == color
                if isBlock { penalty += 3 }
            }
        }
        let share = dark.count(where: \.self) * 20 - size * size * 10
        return penalty + abs(share) / (size * size) * 10
    }

    private func runs(_ line: [Bool]) -> Int {
        var penalty = 0
        var length = 0
        for (index, color) in line.enumerated() {
            length = index > 0 && line[index - 1] == color ? length + 1 : 1
            if length == 5 { penalty += 3 } else if length > 5 { penalty += 1 }
        }
        return penalty
    }
}
