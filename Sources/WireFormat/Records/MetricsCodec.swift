import SensorModel

/// All metrics of a session at one moment, about 150 bytes.
///
/// ```
/// u8 state, count flags (``Flag``), 3 doubles: elapsed, moving, paused
/// bitmap and doubles: the optional numbers, in the order of ``optionalNumbers``
/// then each group whose flag is set, in the order of the flags
/// ```
enum MetricsCodec {
    private enum Flag: Int {
        case autoPaused, manuallyPaused, hasCharging, charging
        case steps, heartRate, cadence, position, gpsQuality, trainingLoad, finishEstimate, course
        case zoneSeconds, activeAlerts
        case interval
        case laterCheckpoints
        case cadenceSource, measured
        static let bits = 18

        func isSet(_ flags: Int) -> Bool { flags >> rawValue & 1 == 1 }
    }

    /// The order is the format: append new ones at the end. (Power needs no version of its own: it
    /// occurs only with the sensors that measured it, whose version covers it.)
    static let optionalNumbers: [any WritableKeyPath<Metrics, Double?> & Sendable] = [
        \.distanceMeters, \.distanceUncertaintyMeters, \.speedMetersPerSecond,
        \.speedUncertaintyMetersPerSecond, \.paceSecondsPerKm, \.gradeAdjustedPaceSecondsPerKm,
        \.elevationGainMeters, \.elevationLossMeters, \.gradePercent, \.averageHeartRate,
        \.maxHeartRate, \.averageCadence, \.caloriesKcal, \.effortKm, \.decouplingPercent,
        \.battery, \.targetZonePercent, \.powerWatts,
    ]

    static func write(_ metrics: Metrics, _ writer: inout RecordWriter) {
        writer.byte(metrics.state.rawValue)
        writer.count(flags(of: metrics))
        writer.double(metrics.elapsedSeconds)
        writer.double(metrics.movingSeconds)
        writer.double(metrics.pausedSeconds)
        writer.optionalDoubles(optionalNumbers.map { metrics[keyPath: $0] })
        if let steps = metrics.steps { writer.count(steps) }
        if let heartRate = metrics.heartRate { write(heartRate, &writer) }
        if let cadence = metrics.cadence { write(cadence, &writer) }
        if let position = metrics.position { write(position, &writer) }
        if let quality = metrics.gpsQuality { writer.byte(quality.rawValue) }
        if let load = metrics.trainingLoad {
            writer.optionalDoubles([load.hrTSS, load.trimp, load.edwards])
        }
        if let finish = metrics.finishEstimate {
            writer.double(finish.bestSeconds)
            writer.double(finish.expectedSeconds)
            writer.double(finish.worstSeconds)
        }
        if let course = metrics.course { write(course, &writer) }
        if !metrics.zoneSeconds.isEmpty {
            writer.count(metrics.zoneSeconds.count)
            for seconds in metrics.zoneSeconds { writer.double(seconds) }
        }
        if !metrics.activeAlerts.isEmpty {
            writer.count(metrics.activeAlerts.count)
            for alert in metrics.activeAlerts { writer.byte(alert.rawValue) }
        }
        if let interval = metrics.interval { write(interval, &writer) }
        if let later = metrics.course?.later, !later.isEmpty { write(later, &writer) }
        if let source = metrics.cadence?.source { writer.text(source) }
        if !metrics.measured.isEmpty { write(metrics.measured, &writer) }
    }

    static func read(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> Metrics {
        var metrics = Metrics()
        metrics.state = try reader.choice(ValueState.self, bytes)
        let flags = try reader.count(bytes)
        guard flags >= 0, flags >> Flag.bits == 0 else { throw .unknownValue }
        metrics.autoPaused = Flag.autoPaused.isSet(flags)
        metrics.manuallyPaused = Flag.manuallyPaused.isSet(flags)
        if Flag.hasCharging.isSet(flags) { metrics.charging = Flag.charging.isSet(flags) }
        metrics.elapsedSeconds = try reader.double(bytes)
        metrics.movingSeconds = try reader.double(bytes)
        metrics.pausedSeconds = try reader.double(bytes)
        let numbers = try reader.optionalDoubles(optionalNumbers.count, bytes)
        for (path, value) in zip(optionalNumbers, numbers) { metrics[keyPath: path] = value }
        try readGroups(flags, into: &metrics, &reader, bytes)
        return metrics
    }

    private static func readGroups(
        _ flags: Int, into metrics: inout Metrics, _ reader: inout RecordReader,
        _ bytes: Span<UInt8>
    ) throws(RecordRefusal) {
        if Flag.steps.isSet(flags) { metrics.steps = try reader.count(bytes) }
        if Flag.heartRate.isSet(flags) { metrics.heartRate = try heartRate(&reader, bytes) }
        if Flag.cadence.isSet(flags) { metrics.cadence = try cadence(&reader, bytes) }
        if Flag.position.isSet(flags) { metrics.position = try position(&reader, bytes) }
        if Flag.gpsQuality.isSet(flags) {
            metrics.gpsQuality = try reader.choice(GPSQuality.self, bytes)
        }
        if Flag.trainingLoad.isSet(flags) {
            let load = try reader.optionalDoubles(3, bytes)
            metrics.trainingLoad = TrainingLoad(hrTSS: load[0], trimp: load[1], edwards: load[2])
        }
        if Flag.finishEstimate.isSet(flags) {
            metrics.finishEstimate = FinishEstimate(
                bestSeconds: try reader.double(bytes), expectedSeconds: try reader.double(bytes),
                worstSeconds: try reader.double(bytes))
        }
        if Flag.course.isSet(flags) { metrics.course = try course(&reader, bytes) }
        if Flag.zoneSeconds.isSet(flags) {
            for _ in 0..<(try reader.itemCount(bytes, bytesEach: 1)) {
                metrics.zoneSeconds.append(try reader.double(bytes))
            }
        }
        if Flag.activeAlerts.isSet(flags) {
            for _ in 0..<(try reader.itemCount(bytes, bytesEach: 1)) {
                metrics.activeAlerts.append(try reader.choice(AlertKind.self, bytes))
            }
        }
        if Flag.interval.isSet(flags) { metrics.interval = try interval(&reader, bytes) }
        if Flag.laterCheckpoints.isSet(flags) {
            guard metrics.course?.checkpoint != nil else { throw .unknownValue }
            metrics.course?.later = try laterCheckpoints(&reader, bytes)
        }
        if Flag.cadenceSource.isSet(flags) {
            guard metrics.cadence != nil else { throw .unknownValue }
            metrics.cadence?.source = try reader.text(bytes)
        }
        if Flag.measured.isSet(flags) { metrics.measured = try measured(&reader, bytes) }
    }

    private static func flags(of metrics: Metrics) -> Int {
        let set: [(Flag, Bool)] = [
            (.autoPaused, metrics.autoPaused), (.manuallyPaused, metrics.manuallyPaused),
            (.hasCharging, metrics.charging != nil), (.charging, metrics.charging == true),
            (.steps, metrics.steps != nil), (.heartRate, metrics.heartRate != nil),
            (.cadence, metrics.cadence != nil), (.position, metrics.position != nil),
            (.gpsQuality, metrics.gpsQuality != nil),
            (.trainingLoad, metrics.trainingLoad != nil),
            (.finishEstimate, metrics.finishEstimate != nil), (.course, metrics.course != nil),
            (.zoneSeconds, !metrics.zoneSeconds.isEmpty),
            (.activeAlerts, !metrics.activeAlerts.isEmpty),
            (.interval, metrics.interval != nil),
            (.laterCheckpoints, metrics.course?.later.isEmpty == false),
            (.cadenceSource, metrics.cadence?.source != nil),
            (.measured, !metrics.measured.isEmpty),
        ]
        return set.reduce(0) { $1.1 ? $0 | 1 << $1.0.rawValue : $0 }
    }
}
