import SensorModel

/// Keeps holes in the track from lost frames, and corrects them by late fixes.
///
/// A hole is first credited with its straight line, or with its steps. A late fix bends that line:
/// the path through the hole is measured like the rest of the track. Shown meters never fall. A
/// path that is shorter than the credited one thus only changes the times of its meters.
struct LateFixes: Sendable {
    struct Parameters: Sendable {
        /// Number of newest holes kept; with ``fixesMax`` 35 KiB at most.
        var holesMax = 6
        /// Maximum fixes kept in each hole, evenly spaced: one in ten seconds of a ten-minute hole.
        var fixesMax = 60
    }

    struct Fix: Sendable {
        var location: Location
        var time: Timestamp
    }

    /// The effect of a late fix: the path through its hole, and the later meters.
    struct Change: Sendable {
        /// Session meters at the start of the hole.
        var startMeters: Double
        /// Session time, and meters since the start of the hole; the first knot is the start.
        var knots: [(time: Timestamp, meters: Double)]
        /// Meters added to everything after the hole.
        var addedMeters: Double
    }

    private struct Hole: Sendable {
        let start: Fix
        let end: Fix
        var startMeters: Double
        var creditedMeters: Double
        var fixes: [Fix] = []
    }

    private let parameters = Parameters()
    private var holes: [Hole] = []
    private var newest: (time: Timestamp, meters: Double)?
    /// Whether frames were lost since the last usable fix.
    private var areFramesLost = false

    mutating func noteLostFrames() {
        areFramesLost = true
    }

    /// Starts the track, or continues it after a pause. The time before it is no hole.
    mutating func restart(at time: Timestamp, meters: Double) {
        newest = (time, meters)
        areFramesLost = false
    }

    /// - Parameters:
    ///   - step: The credited step.
    ///   - meters: Session meters including the step.
    mutating func note(_ step: FixGate.Step, meters: Double) {
        defer { restart(at: step.to, meters: meters) }
        guard areFramesLost, let newest, newest.time == step.from else { return }
        if holes.count == parameters.holesMax { holes.removeFirst() }
        holes.append(
            Hole(
                start: Fix(location: step.previous, time: step.from),
                end: Fix(location: step.location, time: step.to), startMeters: newest.meters,
                creditedMeters: meters - newest.meters))
    }

    /// - Parameters:
    ///   - location: A fix before the newest one.
    ///   - time: Session time of the fix.
    ///   - distance: The track whose learned state measures the path.
    /// - Returns: The change; `nil` if nothing changes.
    mutating func take(_ location: Location, at time: Timestamp, by distance: Distance) -> Change? {
        guard
            let index = holes.lastIndex(where: { $0.start.time < time && time < $0.end.time })
        else { return nil }
        var hole = holes[index]
        // Slightly less than even spacing, so that fixes at exactly that interval all fit.
        let spacing =
            0.99 * hole.end.time.seconds(since: hole.start.time) / Double(parameters.fixesMax + 1)
        guard hole.fixes.count < parameters.fixesMax,
            !hole.fixes.contains(where: { abs(time.seconds(since: $0.time)) < max(spacing, 0.05) })
        else { return nil }
        let place = hole.fixes.firstIndex { $0.time > time } ?? hole.fixes.count
        hole.fixes.insert(Fix(location: location, time: time), at: place)
        guard let knots = Self.knots(of: hole, by: distance) else { return nil }
        let way = knots.last?.meters ?? 0
        let total = max(way, hole.creditedMeters)
        let added = total - hole.creditedMeters
        let scale = way > 0 ? total / way : 1
        hole.creditedMeters = total
        holes[index] = hole
        for later in holes.indices where later > index { holes[later].startMeters += added }
        newest?.meters += added
        return Change(
            startMeters: hole.startMeters, knots: knots.map { ($0.time, $0.meters * scale) },
            addedMeters: added)
    }

    /// Returns `nil` if the gate accepts none of the late fixes, or no path leads through them.
    private static func knots(
        of hole: Hole, by distance: Distance
    ) -> [(time: Timestamp, meters: Double)]? {
        var gate = FixGate()
        _ = gate.admit(hole.start.location, at: hole.start.time)
        var steps: [FixGate.Step] = []
        for fix in hole.fixes + [hole.end] {
            if case .step(let step) = gate.admit(fix.location, at: fix.time), !step.isJump {
                steps.append(step)
            }
        }
        guard steps.count > 1, steps.last?.to == hole.end.time else { return nil }
        let meters = distance.measured(from: hole.start.location, along: steps)
        return [(hole.start.time, 0)] + zip(steps, meters).map { ($0.to, $1) }
    }
}
