import SensorModel

/// Holes in the track where frames were lost, for fixes that come into them late.
///
/// A hole is first credited with its straight line, or with the steps made in it. A late fix bends
/// that line: the way through it is measured as the rest of the track is. Shown meters never fall,
/// so a way that is shorter than what was credited only tells when its meters were run.
struct LateFixes: Sendable {
    struct Parameters: Sendable {
        /// Holes that are remembered, the newest; with ``fixesMax`` 35 KiB at most.
        var holesMax = 6
        /// Fixes kept of each, evenly: of ten minutes one in ten seconds.
        var fixesMax = 60
    }

    struct Fix: Sendable {
        var location: Location
        var time: Timestamp
    }

    /// What a late fix changes: the way through its hole, and everything after it.
    struct Change: Sendable {
        /// Session meters where the hole begins.
        var startMeters: Double
        /// Session time, and meters since the hole began; the first is its beginning.
        var knots: [(time: Timestamp, meters: Double)]
        /// By which everything after the hole is farther.
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
    /// Frames were lost since the last usable fix.
    private var areFramesLost = false

    mutating func noteLostFrames() {
        areFramesLost = true
    }

    /// The track begins, or goes on after a pause: what lies before is no hole of it.
    mutating func restart(at time: Timestamp, meters: Double) {
        newest = (time, meters)
        areFramesLost = false
    }

    /// - Parameters:
    ///   - step: That was credited.
    ///   - meters: Of the session, with it.
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
    ///   - location: Of a fix that belongs before the newest one.
    ///   - time: Its session time.
    ///   - distance: To measure the way with what it has learned.
    /// - Returns: `nil` where it changes nothing.
    mutating func take(_ location: Location, at time: Timestamp, by distance: Distance) -> Change? {
        guard
            let index = holes.lastIndex(where: { $0.start.time < time && time < $0.end.time })
        else { return nil }
        var hole = holes[index]
        // A little closer than evenly, so that a rhythm that just fits is kept whole.
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

    /// `nil` when the gate takes none of the late fixes, or no way leads through them.
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
