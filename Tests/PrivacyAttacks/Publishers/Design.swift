import Sharing

/// A rule for hiding positions and for the values published beside them: the product, or a variant
/// with one change.
public struct Design: Sendable {
    public enum Offset: Sendable {
        /// A new offset each time a zone is made or moved, and another for trims.
        case drawn
        /// An offset from a grid seeded by the device's salt; centers some meters apart have nearly
        /// the same.
        case salted
    }

    public var name: String
    /// Radii of the owner's zone, meters, one for each time an attacker reads the history; empty:
    /// no zone.
    public var zoneRadii: [Double] = []
    /// Distance by which the owner moves the zone between those times, meters.
    public var zoneShift = 0.0
    /// Trim of start and finish, meters; 0: not trimmed.
    public var trimMeters = 0.0
    public var offsetRing = PrivacyOffset.validLength
    /// Meters by which a circle is wider than its radius.
    public var widening = PrivacyOffset.validLength.upperBound
    public var offset = Offset.salted
    /// Distance that the edge of the hidden area varies outward by place and salt, meters.
    public var edgeMeters = 0.0
    /// Whether distance, times and climb start at the first shown point and stop while hidden.
    public var hiddenRests = true
    /// Whether viewers learn when the recording began.
    public var tellsBeginning = false
    /// Whether viewers learn when the recording ended.
    public var tellsEnd = false
    /// Whether a cursor is the number of records before it.
    public var countsRecords = false
    /// Fixed delay of each point; `nil`: a point is shown once the runner has left its place.
    public var lateSeconds: Double?
    /// Whether a share without positions publishes everything of the same run.
    public var hasSecondShare = false

    public init(_ name: String, zoneRadius: Double? = nil, trimMeters: Double = 0) {
        self.name = name
        zoneRadii = zoneRadius.map { [$0] } ?? []
        self.trimMeters = trimMeters
    }

    public func changed(_ change: String, _ apply: (inout Design) -> Void) -> Design {
        var design = self
        design.name += ", " + change
        apply(&design)
        return design
    }

    /// Radius of the circle that is cut from tracks, meters.
    var hiddenRadius: Double { max(zoneRadii.max() ?? 0, trimMeters) + widening }

    /// Whether the circles are computed by the product's code.
    private var hasProductCircles: Bool {
        offsetRing == PrivacyOffset.validLength && widening == offsetRing.upperBound
            && edgeMeters == 0 && (offset == .salted || trimMeters == 0)
    }

    public var publisher: any Publisher {
        var base: any Publisher =
            hasProductCircles ? SessionPublisher() : ReferencePublisher(self)
        if let lateSeconds { base = LatePublisher(base: base, seconds: lateSeconds) }
        let leaks =
            !hiddenRests || tellsBeginning || tellsEnd || countsRecords
            || hasSecondShare
        return leaks ? LeakingPublisher(base: base, design: self) : base
    }
}
