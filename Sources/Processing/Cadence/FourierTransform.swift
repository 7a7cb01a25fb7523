import Glibc

/// Computes the power spectra of 512 real values in each of four lanes at once.
///
/// Even and odd values are packed as real and imaginary parts of 256 complex values. These are
/// transformed by radix 2, decimation in frequency (Cooley and Tukey, Mathematics of Computation
/// 19, 1965), and unpacked. The buffers live on the stack, so a session keeps none.
struct FourierTransform: ~Copyable {
    static let points = 512
    static let half = 256

    /// Even values; work space during `run`.
    private var real = InlineArray<256, SIMD4<Float>>(repeating: .zero)
    /// Odd values; work space during `run`.
    private var imaginary = InlineArray<256, SIMD4<Float>>(repeating: .zero)

    /// cos and −sin of 2π k / 512.
    private static let cosines: [Float] = (0..<half).map {
        Float(cos(2 * Double.pi * Double($0) / Double(points)))
    }
    private static let sines: [Float] = (0..<half).map {
        Float(-sin(2 * Double.pi * Double($0) / Double(points)))
    }
    private static let reversed: [Int] = (0..<half).map { index in
        Int(UInt8(truncatingIfNeeded: index).bitReversed)
    }

    mutating func set(_ value: SIMD4<Float>, at index: Int) {
        if index & 1 == 0 {
            real[index >> 1] = value
        } else {
            imaginary[index >> 1] = value
        }
    }

    /// Transforms the values and overwrites them.
    ///
    /// - Parameters:
    ///   - length: Receives the power of the fourth lane, bins 0…256; bin 256 is half the rate.
    ///   - axes: Receives the sum of the powers of the first three lanes, for the same bins.
    mutating func run(length: inout [Float], axes: inout [Float]) {
        let cosines = Self.cosines
        let sines = Self.sines
        var span = Self.half / 2
        var stride = 2
        while span >= 1 {
            for offset in 0..<span {
                let c = cosines[offset * stride]
                let s = sines[offset * stride]
                var upper = offset
                while upper < Self.half {
                    let lower = upper + span
                    let differenceReal = real[upper] - real[lower]
                    let differenceImaginary = imaginary[upper] - imaginary[lower]
                    real[upper] += real[lower]
                    imaginary[upper] += imaginary[lower]
                    real[lower] = differenceReal * c - differenceImaginary * s
                    imaginary[lower] = differenceReal * s + differenceImaginary * c
                    upper += span * 2
                }
            }
            span /= 2
            stride *= 2
        }
        unpack(cosines: cosines, sines: sines, length: &length, axes: &axes)
    }

    private mutating func unpack(
        cosines: [Float], sines: [Float], length: inout [Float], axes: inout [Float]
    ) {
        let reversed = Self.reversed
        let first = real[0] + imaginary[0]
        let last = real[0] - imaginary[0]
        Self.store(first * first, at: 0, length: &length, axes: &axes)
        Self.store(last * last, at: Self.half, length: &length, axes: &axes)
        for bin in 1..<Self.half {
            let here = reversed[bin]
            let mirror = reversed[Self.half - bin]
            let evenReal = (real[here] + real[mirror]) * 0.5
            let evenImaginary = (imaginary[here] - imaginary[mirror]) * 0.5
            let oddReal = (imaginary[here] + imaginary[mirror]) * 0.5
            let oddImaginary = (real[mirror] - real[here]) * 0.5
            let c = cosines[bin]
            let s = sines[bin]
            let binReal = evenReal + oddReal * c - oddImaginary * s
            let binImaginary = evenImaginary + oddReal * s + oddImaginary * c
            let power = binReal * binReal + binImaginary * binImaginary
            Self.store(power, at: bin, length: &length, axes: &axes)
        }
    }

    private static func store(
        _ power: SIMD4<Float>, at bin: Int, length: inout [Float], axes: inout [Float]
    ) {
        length[bin] = power.w
        axes[bin] = power.x + power.y + power.z
    }
}

extension UInt8 {
    fileprivate var bitReversed: UInt8 {
        var value = self
        value = (value & 0xF0) >> 4 | (value & 0x0F) << 4
        value = (value & 0xCC) >> 2 | (value & 0x33) << 2
        return (value & 0xAA) >> 1 | (value & 0x55) << 1
    }
}
