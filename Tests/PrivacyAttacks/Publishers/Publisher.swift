public import SensorModel

/// Makes of a recorded run what viewers are shown of it.
public protocol Publisher: Sendable {
    /// - Parameters:
    ///   - run: Everything that was recorded.
    ///   - settings: What the owner hides.
    /// - Returns: The union of what all the device's shares show.
    func publish(_ run: RecordedRun, hiding settings: PrivacySettings) -> ShownRun
}
