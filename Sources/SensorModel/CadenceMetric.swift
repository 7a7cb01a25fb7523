public struct CadenceMetric: Hashable, Sendable {
    /// 0 while standing; `nil` while unknown, 4 s after the last motion, so it needs no age.
    public var stepsPerMinute: Double?
    /// 0…1.
    public var confidence: Double
    /// Half width of the 95 % interval, steps/min.
    public var uncertainty: Double?
    public var state: ValueState
    /// The sensor that counted; `nil` if the daemon counted from motion.
    public var source: String?

    public init(
        stepsPerMinute: Double?, confidence: Double, uncertainty: Double?, state: ValueState,
        source: String? = nil
    ) {
        self.stepsPerMinute = stepsPerMinute
        self.confidence = confidence
        self.uncertainty = uncertainty
        self.state = state
        self.source = source
    }
}
