/// Totals of an earlier run of the same runner, from which the finish of the next is estimated.
///
/// Whole meters and seconds: a session's head holds up to ``countMax`` of them.
public struct RecentRun: Hashable, Sendable {
    public static let countMax = 16

    /// Meters, above 0.
    public let meters: Int
    /// Meters climbed; 0 without altitudes.
    public let climbMeters: Int
    /// Seconds in motion, above 0.
    public let movingSeconds: Int

    /// - Returns: `nil` for a run without a distance or without a time.
    public init?(meters: Int, climbMeters: Int, movingSeconds: Int) {
        guard meters > 0, climbMeters >= 0, movingSeconds > 0 else { return nil }
        self.meters = meters
        self.climbMeters = climbMeters
        self.movingSeconds = movingSeconds
    }
}
