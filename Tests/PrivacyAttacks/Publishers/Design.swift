import Sharing

/// How positions are hidden and what is told beside them: the product as it is, or with one thing
/// changed, to compare.
public struct Design: Sendable {
    public enum Offset: Sendable {
        /// Anew each time a zone is made or moved, and another for trims.
        case drawn
        /// Looked up in a grid seeded by the device's salt: a center moved by some meters, or a
        /// start beside it, has nearly the same.
        case salted
    }

    public var name: String
    /// Radii of the owner's zone, meters, one for each time at which an attacker reads the history:
    /// more than one if the owner changes it. Empty: no zone.
    public var zoneRadii: [Double] = []
    /// How far the owner moves the zone between those times, meters.
    public var zoneShift = 0.0
    /// Trim of start and finish, meters; 0: not trimmed.
    public var trimMeters = 0.0
    public var offsetRing = PrivacyOffset.validLength
    /// By what a circle is wider than its radius.
    public var widening = PrivacyOffset.validLength.upperBound
    public var offset = Offset.salted
    /// How far the edge of the hidden area wanders outward, by place and salt.
    public var edgeMeters = 0.0
    /// Whether distance, times and climb begin at the first shown point and rest while hidden.
    public var hiddenRests = true
    /// Whether viewers learn when the recording began.
    public var tellsBeginning = false
    /// Whether viewers learn when the recording ended.
    public var tellsEnd = false
    /// Whether a cursor is the number of records before it.
    public var countsRecords = false
    /// How late each point is shown, where that is not when the runner has left it behind.
    public var lateSeconds: Double?
    /// Whether a share without positions tells everything of the same run.
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

    /// The radius of the circle that is cut from tracks.
    var hiddenRadius: Double { max(zoneRadii.max() ?? 0, trimMeters) + widening }

    /// Whether the circles are those of the product's code.
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
