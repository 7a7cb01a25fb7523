public import SensorModel

/// Converts a recorded run into its shown form.
public protocol Publisher: Sendable {
    /// - Parameters:
    ///   - run: Everything that was recorded.
    ///   - settings: The owner's privacy settings.
    /// - Returns: The union of what all the device's shares show.
    func publish(_ run: RecordedRun, hiding settings: PrivacySettings) -> ShownRun
}
