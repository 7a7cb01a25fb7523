import SensorModel

/// Notices that a runner is overdue at a checkpoint or silent, by the daemon's clock: from a device
/// that has fallen silent no event comes. It watches the newest run of each device. Pure.
package struct RunWatch: Sendable {
    /// A session as the pipeline has it.
    struct Observation: Sendable {
        let session: SessionID
        let device: DeviceID
        /// Arrival of the newest frame.
        let lastArrival: Timestamp
        /// Whether the runner stopped it.
        var isStopped = false
        /// Whether it was stopped, or silence ended it.
        var isEnded = false
        var isPausedByHand = false
        var elapsedSeconds = 0.0
        var distanceMeters: Double?
        var checkpoint: String?
        /// Elapsed seconds at the checkpoint.
        var predictedSeconds: Double?
    }

    enum Change: Sendable {
        case raised(AlertCases.Key, of: DeviceID, since: Timestamp, Expectation?)
        case over(AlertCases.Key)
        /// The runner stopped, or began another run.
        case stopped(SessionID)
    }

    private struct Run: Sendable {
        var newest: Observation
        var expectation: Expectation?
        var isSilent = false
        var isOverdue = false
    }

    /// Beyond this, devices are not watched; a run takes 256 bytes.
    package static let countMax = 1024
    /// Silence after which a run is given up, seconds.
    static let forgottenSeconds = 43_200.0
    /// Silence of a run after which the device's other run is watched in its place, seconds: a
    /// phone and a watch of one device may both send.
    private static let otherSeconds = 60.0

    private var runs: [DeviceID: Run] = [:]

    /// - Parameters:
    ///   - observations: The live sessions of devices with receivers. One that is missing, and was
    ///     there before, is silent.
    ///   - silentSeconds: Silence that is told, by device; a device that is missing has none.
    ///   - now: The daemon's clock.
    /// - Returns: What has begun and ended.
    mutating func update(
        _ observations: [Observation], silentSeconds: [DeviceID: Double], at now: Timestamp
    ) -> [Change] {
        var changes: [Change] = []
        // The run that is watched goes first, so that others are compared with its newest frame.
        let own = observations.filter { runs[$0.device]?.newest.session == $0.session }
        let others = observations.filter { runs[$0.device]?.newest.session != $0.session }
        for observation in own + others.sorted(by: { $0.lastArrival < $1.lastArrival }) {
            take(observation, at: now, &changes)
        }
        for (device, run) in runs {
            let silence = now.seconds(since: run.newest.lastArrival)
            guard silence < Self.forgottenSeconds else {
                runs[device] = nil
                continue
            }
            let limit = silentSeconds[device] ?? .infinity
            runs[device] = check(run, isTooSilent: silence >= limit, at: now, &changes)
        }
        return changes
    }

    /// Takes over a run from before a restart, and what was told of it.
    mutating func restore(
        _ observation: Observation, isSilent: Bool = false, overdue: Expectation? = nil
    ) {
        guard runs.count < Self.countMax else { return }
        let known = runs[observation.device]
        guard known?.newest.session ?? observation.session == observation.session else { return }
        var run = known ?? Run(newest: observation)
        run.isSilent = run.isSilent || isSilent
        run.isOverdue = run.isOverdue || overdue != nil
        run.expectation = overdue ?? run.expectation
        runs[observation.device] = run
    }

    /// Forgets sessions that were erased.
    mutating func forget(_ sessions: Set<SessionID>) {
        runs = runs.filter { !sessions.contains($0.value.newest.session) }
    }

    private mutating func take(
        _ observation: Observation, at now: Timestamp, _ changes: inout [Change]
    ) {
        let (device, session) = (observation.device, observation.session)
        var run = runs[device]
        if let known = run, known.newest.session != session {
            // The same device sends another run: the earlier one is over, though nothing said so.
            let lead = observation.lastArrival.seconds(since: known.newest.lastArrival)
            guard !observation.isEnded, lead > (known.newest.isEnded ? 0 : Self.otherSeconds)
            else { return }
            changes.append(.stopped(known.newest.session))
            run = nil
        }
        guard !observation.isEnded || run != nil && !observation.isStopped else {
            if run != nil { changes.append(.stopped(session)) }
            runs[device] = nil
            return
        }
        guard run != nil || runs.count < Self.countMax else { return }
        runs[device] = followed(run ?? Run(newest: observation), observation, at: now, &changes)
    }

    private func followed(
        _ known: Run, _ observation: Observation, at now: Timestamp, _ changes: inout [Change]
    ) -> Run {
        var run = known
        if run.isSilent, observation.lastArrival > run.newest.lastArrival {
            run.isSilent = false
            changes.append(.over(AlertCases.Key(session: observation.session, topic: .silent)))
        }
        run.newest = observation
        let checkpoint = observation.checkpoint
        if run.expectation?.checkpoint != checkpoint || checkpoint == nil {
            if run.isOverdue {
                run.isOverdue = false
                changes.append(
                    .over(AlertCases.Key(session: observation.session, topic: .overdue)))
            }
            run.expectation = Self.expectation(observation, at: now)
        }
        return run
    }

    private func check(
        _ known: Run, isTooSilent: Bool, at now: Timestamp, _ changes: inout [Change]
    ) -> Run {
        var run = known
        let newest = run.newest
        func raise(_ topic: AlertTopic, _ expectation: Expectation?) {
            let key = AlertCases.Key(session: newest.session, topic: topic)
            changes.append(
                .raised(key, of: newest.device, since: newest.lastArrival, expectation))
        }
        if isTooSilent, !run.isSilent, !newest.isPausedByHand {
            run.isSilent = true
            raise(.silent, nil)
        }
        if let expectation = run.expectation, now > expectation.overdueAt, !run.isOverdue {
            run.isOverdue = true
            raise(.overdue, expectation)
        }
        return run
    }
}
