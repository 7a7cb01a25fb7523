public import SensorModel

extension SessionPipeline {
    /// Everything a viewer can be shown now.
    public var metrics: Metrics {
        var shown = Metrics()
        shown.state = state
        showTime(in: &shown)
        showHeartRate(in: &shown)
        showMotion(in: &shown)
        showPosition(in: &shown)
        showRace(in: &shown)
        shown.battery = status?.batteryPercent.map { Double($0) / 100 }
        shown.charging = status?.charging
        shown.activeAlerts = activeAlerts
        return shown
    }

    private var state: ValueState {
        guard clock.start != nil else { return .waiting }
        if isEnded { return .ended }
        if shownAt.seconds(since: heardAt) > Self.sessionStaleSeconds { return .stale }
        return movingTime.isPaused ? .paused : .live
    }

    private func showTime(in shown: inout Metrics) {
        shown.elapsedSeconds = elapsedSeconds
        shown.pausedSeconds = pausedSeconds
        shown.movingSeconds = elapsedSeconds - shown.pausedSeconds
        shown.manuallyPaused = isManuallyPaused
        shown.autoPaused = movingTime.isPaused && !isManuallyPaused
    }

    private func showHeartRate(in shown: inout Metrics) {
        guard let source = heartSources.currentSource, source.beatsPerMinute > 0 else { return }
        let isLive = heartSources.isLive(source, at: shownAt)
        shown.heartRate = HeartRateMetric(
            beatsPerMinute: source.beatsPerMinute,
            zone: isLive ? zones.zone(source.beatsPerMinute) : nil,
            state: isEnded ? .ended : isLive ? .live : .stale,
            ageSeconds: max(0, shownAt.seconds(since: source.newest)), source: source.name,
            rmssdMilliseconds: isLive ? source.variability.rmssdMilliseconds : nil,
            cadenceLockSuspected: cadenceLock.isSuspected,
            spikeSuspected: isLive && source.doubtedSince != nil)
        shown.zoneSeconds = heartTotals.zoneSeconds
        shown.averageHeartRate = heartTotals.average(at: moment)
        shown.maxHeartRate = heartTotals.maximum
        shown.trainingLoad = stress.load(profile: profile)
        shown.targetZonePercent = targetZone.percent
        shown.decouplingPercent = decoupling.percent
    }

    private func showMotion(in shown: inout Metrics) {
        guard let newestMotion else { return }
        shown.steps = steps
        shown.averageCadence = cadenceMean.stepsPerMinute
        var metric = cadence.cadence
        if shownAt.seconds(since: newestMotion) > Self.motionStaleSeconds {
            metric.state = .stale
            metric.stepsPerMinute = nil
        }
        if isEnded { metric.state = .ended }
        shown.cadence = metric
    }

    private func showPosition(in shown: inout Metrics) {
        shown.distanceMeters = distance.meters
        shown.distanceUncertaintyMeters = distance.uncertaintyMeters
        shown.elevationGainMeters = elevation.gainMeters
        shown.elevationLossMeters = elevation.lossMeters
        shown.gradePercent = grade.grade.map { $0 * 100 }
        showSpeed(in: &shown)
        guard let newestFix else { return }
        let isStale = shownAt.seconds(since: newestFix.time) > positionStaleSeconds
        let location = newestFix.location
        shown.position = PositionMetric(
            latitude: location.latitude, longitude: location.longitude,
            altitudeMeters: location.altitude,
            horizontalAccuracyMeters: location.horizontalAccuracy,
            courseDegrees: location.course,
            state: isEnded ? .ended : isStale ? .stale : .live)
        if isStale {
            shown.gpsQuality = GPSQuality.none
        } else if let accuracy = location.horizontalAccuracy {
            shown.gpsQuality = GPSQuality(horizontalAccuracy: accuracy)
        }
    }

    private func showSpeed(in shown: inout Metrics) {
        guard shownAt.seconds(since: heardAt) <= Self.sessionStaleSeconds else { return }
        if movingTime.isPaused {
            if distance.hasStarted { shown.speedMetersPerSecond = 0 }
            return
        }
        shown.speedMetersPerSecond = speed.metersPerSecond
        shown.speedUncertaintyMetersPerSecond = speed.uncertainty
        shown.paceSecondsPerKm = paceSecondsPerKm
        shown.gradeAdjustedPaceSecondsPerKm = paceSecondsPerKm.flatMap { pace in
            grade.grade.map { pace / Grade.factor($0) }
        }
    }

    /// `nil` while paused or slower than a pace can be said of (1 h/km).
    var paceSecondsPerKm: Double? {
        guard !movingTime.isPaused, let metersPerSecond = speed.metersPerSecond,
            metersPerSecond > 1 / 3.6
        else { return nil }
        return 1000 / metersPerSecond
    }

    private func showRace(in shown: inout Metrics) {
        shown.interval = intervals?.progress
        guard let meters = distance.meters else { return }
        shown.effortKm = Energy.effortKm(meters: meters, gainMeters: elevation.gainMeters)
        shown.caloriesKcal = Energy.kilocalories(
            meters: meters, movingSeconds: shown.movingSeconds, weightKg: profile.weightKg)
        shown.finishEstimate = finish.estimate(
            raceKm: profile.raceKm, meters: meters, gainMeters: elevation.gainMeters,
            movingSeconds: shown.movingSeconds, elapsedSeconds: shown.elapsedSeconds)
        let mean = elapsedSeconds > 0 ? meters / elapsedSeconds : nil
        shown.course = course?.progress(elapsedSeconds: elapsedSeconds, metersPerSecond: mean)
    }
}
