import Foundation

/// Typical mutations of bytes.
package enum Mutation {
    /// Number of mutants of each format in one run.
    package static var count: Int {
        ProcessInfo.processInfo.environment["PULSECAST_LONG"] == nil ? 1000 : 10_000
    }

    package static func mutant(of bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8]
    {
        var result = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            guard !result.isEmpty else { break }
            let place = Int.random(in: 0..<result.count, using: &generator)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0: result[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: result.remove(at: place)
            case 2: result.insert(UInt8.random(in: 0...255, using: &generator), at: place)
            case 3: result.removeSubrange(place...)
            case 4: result[place] = [0x00, 0x7F, 0x80, 0xFF, 0x2D, 0x39, 0x22][place % 7]
            case 5:
                let end = min(place + Int.random(in: 1...40, using: &generator), result.count)
                result.insert(contentsOf: result[place..<end], at: place)
            default:
                // Extra digits change a number's magnitude.
                result.insert(contentsOf: Array("99999999".utf8), at: place)
            }
        }
        return result
    }
}
