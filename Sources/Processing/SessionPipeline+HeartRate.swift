import SensorModel

extension SessionPipeline {
    mutating func noteHeartRate(
        _ sample: HeartRateSample, at time: Timestamp, into events: inout [StreamEvent]
    ) {
        let taken = heartSources.add(sample, source: sourceName, at: time)
        noteSource(into: &events)
        guard case .shown(let beatsPerMinute) = taken else { return }
        let zone = zones.zone(beatsPerMinute)
        let seconds = heartTotals.add(
            beatsPerMinute, zone: zone, zoneCount: zones.count, at: time)
        stress.add(
            beatsPerMinute, zone: loadZones.zone(beatsPerMinute), seconds: seconds,
            profile: profile)
        intervals?.note(beatsPerMinute: beatsPerMinute)
        targetZone.add(zone: zone, target: profile.targetZone, seconds: seconds)
        if zone != self.zone {
            emit(.zoneChanged(from: self.zone, to: zone), into: &events)
            self.zone = zone
            owesMetrics = true
        }
    }

    private mutating func noteSource(into events: inout [StreamEvent]) {
        guard let source = heartSources.currentSource, let name = source.name, name != shownSource
        else { return }
        emit(.sourceChanged(from: shownSource, to: name), into: &events)
        shownSource = name
        owesMetrics = true
    }

    /// Beats/min that may be shown as live.
    func liveHeartRate(at time: Timestamp) -> Double? {
        guard let source = heartSources.currentSource, heartSources.isLive(source, at: time) else {
            return nil
        }
        return source.beatsPerMinute
    }

    /// Readings that leapt too far to be believed when they came, and were left out.
    public var doubtedHeartRates: Int { heartSources.doubtedCount }

    mutating func tickHeartRate(into events: inout [StreamEvent]) {
        heartSources.choose(at: moment)
        noteSource(into: &events)
        let live = liveHeartRate(at: moment)
        cadenceLock.tick(beatsPerMinute: live, stepsPerMinute: cadence.cadence.stepsPerMinute)
        if let live, !movingTime.isPaused, let metersPerSecond = speed.metersPerSecond,
            metersPerSecond > 0.5
        {
            decoupling.add(meters: metersPerSecond, beatsPerMinute: live)
        }
    }
}
