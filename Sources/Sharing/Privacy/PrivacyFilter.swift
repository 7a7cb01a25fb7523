public import SensorModel

/// Takes out of a session's metrics what the device's owner hides from every viewer.
///
/// A pure function of the metrics in their order, so live, history, rewind and replay show the
/// same. Inside a zone, position, course, altitude, speed and all that is made of speed or slope
/// are missing; distance, time and heart rate go on.
///
/// The finish is not known before it comes. So with a trimmed finish positions are held back and
/// shown once the runner is far enough beyond them: when the session ends, what is still held is
/// never shown.
public struct PrivacyFilter: Sendable {
    private let settings: PrivacySettings
    private var mask: PrivacyMask
    private var wasInside: Bool
    /// Shown when the runner has left them far enough behind; oldest first.
    private var held: [PositionMetric] = []
    private var released: PositionMetric?
    private var hasHadFix = false

    /// Before the first fix a runner with zones is taken to be inside one, but not for ever: on a
    /// treadmill no fix comes.
    private static let secondsWithoutFixMax = 60.0
    /// Half an hour on a small track; then the oldest are given up, not shown.
    private static let heldMax = 2048

    public init(_ settings: PrivacySettings) {
        self.settings = settings
        mask = PrivacyMask(settings)
        wasInside = !settings.zones.isEmpty || settings.trimStartMeters > 0
    }

    /// Whether the newest position was hidden by a zone or by the trimmed start.
    public var isInside: Bool { wasInside }

    public mutating func filter(_ metrics: Metrics) -> Metrics {
        guard !settings.hidesNothing else { return metrics }
        var shown = metrics
        if let position = metrics.position {
            wasInside = !mask.shows(latitude: position.latitude, longitude: position.longitude)
            if settings.trimFinishMeters > 0 { shown.position = lagging(position) }
            hasHadFix = true
        } else if !hasHadFix, metrics.elapsedSeconds > Self.secondsWithoutFixMax {
            wasInside = false
        }
        if wasInside { shown.hideWhatZonesHide() }
        return shown
    }

    private mutating func lagging(_ position: PositionMetric) -> PositionMetric? {
        let ahead = HiddenCircle(
            trimming: settings.trimFinishMeters, aroundLatitude: position.latitude,
            longitude: position.longitude, salt: settings.salt)
        var count = 0
        while count < held.count,
            !ahead.contains(latitude: held[count].latitude, longitude: held[count].longitude)
        {
            released = held[count]
            count += 1
        }
        if held.count - count >= Self.heldMax { count += 1 }
        held.removeFirst(count)
        if !wasInside { held.append(position) }
        return released
    }
}

extension Metrics {
    /// What ``FieldKey/isHiddenInZones`` names.
    fileprivate mutating func hideWhatZonesHide() {
        position = nil
        course = nil
        speedMetersPerSecond = nil
        speedUncertaintyMetersPerSecond = nil
        paceSecondsPerKm = nil
        gradeAdjustedPaceSecondsPerKm = nil
        gradePercent = nil
    }
}

extension StreamEvent.Kind {
    /// Whether it tells where the runner is, as ``FieldKey/course`` does.
    var isHiddenInZones: Bool {
        switch self {
        case .alert(let alert): alert.kind == .offCourse
        case .checkpointReached: true
        default: false
        }
    }
}
