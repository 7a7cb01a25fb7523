/// The error correction of QR codes: polynomials over the field of 256 elements.
enum ReedSolomon {
    /// - Parameter degree: Bytes of correction, 1…68.
    /// - Returns: The generator's coefficients without the leading 1, highest power first.
    static func generator(degree: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: degree)
        result[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                result[index] = multiply(result[index], root)
                if index + 1 < degree { result[index] ^= result[index + 1] }
            }
            root = multiply(root, 2)
        }
        return result
    }

    /// Returns the remainder of `data` divided by the generator.
    static func remainder(of data: ArraySlice<UInt8>, by generator: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ result.removeFirst()
            result.append(0)
            for index in result.indices { result[index] ^= multiply(generator[index], factor) }
        }
        return result
    }

    private static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product: UInt16 = 0
        for bit in (0..<8).reversed() {
            product = product << 1 ^ (product >> 7) * 0x11D
            product ^= UInt16(right >> UInt8(bit) & 1) * UInt16(left)
        }
        return UInt8(truncatingIfNeeded: product)
    }
}
