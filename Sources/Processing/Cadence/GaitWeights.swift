/// How much each trait of a spectrum speaks for a cadence: the weights of ``GaitEvidence``.
///
/// Fitted once, outside the daemon, as a multinomial logistic regression over the cadence bins
/// (McFadden, 1974) on recorded walks and runs with known cadence at wrist, hand, arm and pocket,
/// each also replayed slower and faster and with other amplitudes; leaving any one recording out
/// changes the error on it by less than 0.5 steps/min. Rounded to 0.01.
struct GaitWeights: Sendable {
    /// Amplitude of the length at 1/2, 1, 3/2, 2 and 3 times the step rate; of the axes at 1/2,
    /// 1, 3/2 and 2; of the length, then of the axes, at 1/4 and 3/4.
    let harmonics: [Float]
    /// Liking for each region of ``GaitEvidence/regionCentres`` …
    let regions: [Float]
    /// … and how it grows with the logarithm of the amplitude in g.
    let regionSlopes: [Float]

    private init(_ all: [Float]) {
        harmonics = Array(all[0..<13])
        regions = Array(all[13..<19])
        regionSlopes = Array(all[19..<25])
    }

    /// Window of 3 s and more, acceleration with gravity.
    static let long = GaitWeights([
        3.25, 10.08, 1.34, 4.19, 4.04, 5.97, 5.84, 2.79, 4.67, -0.03, -0.69, -0.66, -2.15,
        -2.11, -0.69, 1.91, 1.37, 0.98, 0.45, 0.34, -0.36, -1.05, 0.22, 0.25, -0.10,
    ])
    /// The first seconds of a gait.
    static let short = GaitWeights([
        1.80, 11.90, -0.07, 5.58, 3.16, 6.28, 5.63, 0.62, 5.53, 1.73, -0.04, 1.64, -4.70,
        -2.52, -0.34, 2.74, 1.25, 2.19, 0.38, 0.00, -0.42, -2.05, -0.15, 0.39, -0.34,
    ])
    /// The same without gravity, when the length says less and the axes more.
    static let longFree = GaitWeights([
        1.83, 5.86, 4.33, 4.38, 4.13, 5.83, 9.14, 1.83, 3.61, -0.51, -0.57, -0.69, -2.09,
        -2.02, -0.97, 1.83, 1.69, 1.42, 0.44, -0.09, -0.66, -0.83, 0.27, 0.07, 0.16,
    ])
    static let shortFree = GaitWeights([
        3.49, 8.23, 1.69, 5.98, 5.08, 4.69, 10.83, -0.93, 4.63, -0.32, -0.21, 1.09, -4.58,
        -2.69, -0.93, 2.43, 1.32, 2.53, 0.55, 0.13, -0.39, -1.23, -0.03, 0.36, -0.03,
    ])
    /// At the ankle one foot alone is felt: the stride's own harmonics speak, all alike, and what
    /// lies between them speaks against. Set by that argument, not fitted.
    static let ankle = GaitWeights([
        7, 7, 4, 4, 2, 5, 4, 2, 2, -5, -5, -4, -4,
        -2.11, -0.69, 1.91, 1.37, 0.98, 0.45, 0, 0, 0, 0, 0, 0,
    ])
}
