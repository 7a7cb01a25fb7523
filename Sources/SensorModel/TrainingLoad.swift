public struct TrainingLoad: Hashable, Sendable {
    public var hrTSS: Double?
    /// Banister's training impulse.
    public var trimp: Double?
    public var edwards: Double?

    public init(hrTSS: Double?, trimp: Double?, edwards: Double?) {
        self.hrTSS = hrTSS
        self.trimp = trimp
        self.edwards = edwards
    }
}
