/// The weights with which ``GaitEvidence`` adds the features of a spectrum for a cadence.
///
/// Fitted once, outside the daemon, as a multinomial logistic regression over the cadence bins
/// (McFadden, 1974). The data are recorded walks and runs at wrist, hand, arm and pocket, each also
/// replayed slower, faster and with other amplitudes. Where no cadence was measured, the estimate
/// of an earlier fit was used. A fit without one of the sets has the same error on that set, except
/// for a watch of 12.5 Hz: its count is 2 % off with it and 8 % without. Rounded to 0.01.
struct GaitWeights: Sendable {
    /// Weights of amplitudes at multiples of the step rate: length at 1/2, 1, 3/2, 2 and 3; axes at
    /// 1/2, 1, 3/2 and 2; length at 1/4 and 3/4; axes at 1/4 and 3/4.
    let harmonics: [Float]
    /// Weight of each region of ``GaitEvidence/regionCenters``.
    let regions: [Float]
    /// Slope of that weight with the logarithm of the amplitude in g.
    let regionSlopes: [Float]

    private init(_ all: [Float]) {
        harmonics = Array(all[0..<13])
        regions = Array(all[13..<19])
        regionSlopes = Array(all[19..<25])
    }

    /// Weights for a window of 3 s or more, acceleration with gravity.
    static let long = GaitWeights([
        3.32, 10.61, 1.32, 3.75, 4.16, 6.88, 5.37, 2.72, 4.70, 0.06, -0.64, -0.90, -2.53, -2.18,
        -0.55, 2.21, 1.50, 0.97, 0.47, -0.59, -0.50, -0.81, 0.18, 0.38, -0.06,
    ])
    /// Weights for the first seconds of a gait.
    static let short = GaitWeights([
        2.04, 12.49, -0.09, 4.72, 3.30, 7.51, 4.15, -0.25, 5.20, 2.25, -0.01, 2.24, -4.96, -2.88,
        0.11, 2.95, 1.24, 2.19, 0.30, -1.73, -0.25, -1.39, 0.07, 0.93, -0.10,
    ])
    /// Weights without gravity: less for the length, more for the axes.
    static let longFree = GaitWeights([
        2.29, 6.03, 4.34, 4.18, 4.19, 6.75, 9.46, 1.60, 3.18, -0.57, -0.62, -0.95, -2.37, -2.46,
        -0.79, 2.31, 1.87, 1.46, 0.50, -1.01, -0.71, -0.58, 0.29, 0.21, 0.19,
    ])
    static let shortFree = GaitWeights([
        4.19, 8.66, 1.60, 5.55, 4.63, 5.53, 10.87, -2.10, 3.38, 0.08, -0.13, 1.69, -4.64, -3.67,
        -0.39, 2.97, 1.41, 2.69, 0.51, -1.23, -0.19, -0.60, 0.22, 0.85, 0.31,
    ])
    /// Weights at the ankle, where only one foot counts. All harmonics of the stride support a
    /// cadence equally; the power between them counts against it. Set by this argument, not fitted.
    static let ankle = GaitWeights([
        7, 7, 4, 4, 2, 5, 4, 2, 2, -5, -5, -4, -4,
        -2.11, -0.69, 1.91, 1.37, 0.98, 0.45, 0, 0, 0, 0, 0, 0,
    ])
}
