import Foundation
import SensorModel

@testable import Sharing

/// A small generator with a seed, so that a failure can be seen again.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

enum Fixture {
    static let start = Timestamp(microseconds: 1_763_700_000_000_000)
    static let session = SessionID(high: 1, low: 2)

    static func time(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

    static func cursor(_ offset: UInt64) -> LogCursor {
        LogCursor(epoch: 1, offset: RecordOffset(rawValue: offset))
    }

    static func hash(_ seed: UInt8) -> SecretHash {
        SecretHash(bytes: Array(repeating: seed, count: 32)) ?? .zero
    }

    static func share(
        _ number: UInt32 = 1, device: UInt32 = 1, scope: Scope = .all, delaySeconds: Int = 0,
        createdAt: Timestamp = start, expiresAt: Timestamp? = nil, revokedAt: Timestamp? = nil
    ) -> Share {
        Share(
            key: ShareKey(rawValue: number), name: "share \(number)",
            idHash: hash(UInt8(number)), target: .device(DeviceID(rawValue: device)),
            scope: scope, delaySeconds: delaySeconds, expiresAt: expiresAt,
            label: "Runner \(number)",
            createdAt: createdAt, revokedAt: revokedAt)
    }

    /// Metrics with every field set.
    static func fullMetrics() -> Metrics {
        var metrics = Metrics()
        metrics.state = .live
        metrics.heartRate = HeartRateMetric(
            beatsPerMinute: 151.6, zone: 4, state: .live, ageSeconds: 0.84, source: "watch",
            rmssdMilliseconds: 21.34, cadenceLockSuspected: true, spikeSuspected: true)
        metrics.cadence = CadenceMetric(
            stepsPerMinute: 172.44, confidence: 0.93, uncertainty: 1.25, state: .live)
        metrics.steps = 5120
        metrics.distanceMeters = 4312.74
        metrics.distanceUncertaintyMeters = 9.06
        metrics.speedMetersPerSecond = 3.049
        metrics.speedUncertaintyMetersPerSecond = 0.126
        metrics.paceSecondsPerKm = 327.9
        metrics.gradeAdjustedPaceSecondsPerKm = 320.6
        metrics.elapsedSeconds = 1500
        metrics.movingSeconds = 1432.25
        metrics.pausedSeconds = 67.75
        metrics.elevationGainMeters = 42.04
        metrics.elevationLossMeters = 38
        metrics.gradePercent = -1.26
        metrics.powerWatts = 250.6
        metrics.zoneSeconds = [12, 300, 700, 400, 20.04]
        metrics.averageHeartRate = 147.1
        metrics.maxHeartRate = 171
        metrics.averageCadence = 171.2
        metrics.position = PositionMetric(
            latitude: 48.1234567, longitude: -11.5, altitudeMeters: 519.96,
            horizontalAccuracyMeters: 4.1, courseDegrees: 187.4, state: .live)
        metrics.gpsQuality = .good
        metrics.trainingLoad = TrainingLoad(hrTSS: 41.24, trimp: 58.1, edwards: nil)
        metrics.caloriesKcal = 312.4
        metrics.effortKm = 4.733
        metrics.decouplingPercent = 3.21
        metrics.finishEstimate = FinishEstimate(
            bestSeconds: 3300.4, expectedSeconds: 3400.5, worstSeconds: 3600)
        metrics.course = CourseProgress(
            checkpoint: "Bridge", predictedSeconds: 2000, offCourse: false,
            later: [CheckpointAhead(checkpoint: "Tower", predictedSeconds: 2412)])
        metrics.interval = IntervalProgress(
            number: 2, count: 11, secondsLeft: nil, metersLeft: 312.5)
        metrics.battery = 0.805
        metrics.charging = false
        metrics.activeAlerts = [.zoneDrift, .sos]
        metrics.targetZonePercent = 61.25
        metrics.measured = [
            MeasuredMetric(
                values: footPod, state: .live, ageSeconds: 0.42, standsIn: [.cadence, .distance])
        ]
        return metrics
    }

    /// A foot pod with every quantity.
    static let footPod: MeasuredValues = {
        var values = MeasuredValues(source: "pod", placement: .foot)
        for quantity in MeasuredValues.Quantity.allCases {
            // The value lies in every quantity's range.
            try? values.set(quantity, to: quantity == .power ? 251 : 0.5)
        }
        return values
    }()

    static func metricsEvent(_ second: Double, _ metrics: Metrics) -> StreamEvent {
        StreamEvent(deviceTime: time(second), kind: .metrics(metrics))
    }

    static func object(_ json: [UInt8]) throws -> [String: Any] {
        let parsed = try JSONSerialization.jsonObject(with: Data(json))
        return parsed as? [String: Any] ?? [:]
    }

    static func text(_ json: [UInt8]) -> String { String(decoding: json, as: UTF8.self) }
}

extension ShareView {
    /// Releases all updates due by `now`, oldest first.
    mutating func releaseAll(at now: Timestamp) -> [FeedUpdate] {
        var updates: [FeedUpdate] = []
        while let (_, update) = release(at: now) { updates.append(update) }
        return updates
    }
}
