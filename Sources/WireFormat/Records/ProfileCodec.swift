public import SensorModel

/// The payload of a profile record, which is written before a change takes effect.
///
/// ```
/// u8 version, u8 treadmill, u8 auto-pause, u8 placement, u8 sex (0: unknown), count maximum
/// heart rate, bitmap and counts: resting, threshold, target zone; bitmap and doubles: weight,
/// target pace, race, stride slope, stride intercept, safety timer; text time zone; u8 zones
/// [, count bounds, counts]; from version 2: count phases, phases as in ``StreamEventCodec``; from
/// version 3: count runs, each: counts meters, climbed meters, moving seconds
/// ```
///
/// A profile is written in the lowest version that holds it, so that an older program can still
/// read the others.
public enum ProfileCodec {
    public static let version: UInt8 = 3
    private static let versionOfIntervals: UInt8 = 2
    private static let versionWithoutIntervals: UInt8 = 1

    /// - Parameters:
    ///   - profile: Any profile.
    ///   - bytes: The payload is appended to it.
    public static func encode(_ profile: RunnerProfile, to bytes: inout [UInt8]) {
        var writer = RecordWriter(bytes: [])
        swap(&writer.bytes, &bytes)
        write(profile, &writer)
        swap(&writer.bytes, &bytes)
    }

    /// - Parameter bytes: The payload of one record.
    /// - Returns: The encoded profile.
    /// - Throws: ``RecordRefusal`` for bytes that no version of this code writes.
    public static func decode(_ bytes: Span<UInt8>) throws(RecordRefusal) -> RunnerProfile {
        var reader = RecordReader()
        let profile = try read(&reader, bytes)
        try reader.end(bytes)
        return profile
    }

    static func write(_ profile: RunnerProfile, _ writer: inout RecordWriter) {
        let chosen = version(of: profile)
        writer.byte(chosen)
        writer.bool(profile.treadmill)
        writer.byte(index(profile.autoPause, RunnerProfile.AutoPauseMethod.allCases))
        writer.byte(
            profile.placement.map { index($0, RunnerProfile.Placement.allCases) + 1 } ?? 0)
        writer.byte(profile.sex.map { index($0, RunnerProfile.Sex.allCases) + 1 } ?? 0)
        writer.count(profile.maxHeartRate)
        for value in [profile.restingHeartRate, profile.thresholdHeartRate, profile.targetZone] {
            writer.optional(value) { $0.count($1) }
        }
        writer.optionalDoubles([
            profile.weightKg, profile.targetPaceSecondsPerKm, profile.raceKm,
            profile.strideCalibration?.slope, profile.strideCalibration?.intercept,
            profile.safetyTimerSeconds,
        ])
        writer.text(profile.timeZone)
        write(profile.zones, &writer)
        guard chosen >= versionOfIntervals else { return }
        let phases = profile.intervals?.phases ?? []
        writer.count(phases.count)
        for phase in phases { StreamEventCodec.write(phase, &writer) }
        guard chosen >= version else { return }
        writer.count(profile.recentRuns.count)
        for run in profile.recentRuns {
            writer.count(run.meters)
            writer.count(run.climbMeters)
            writer.count(run.movingSeconds)
        }
    }

    private static func version(of profile: RunnerProfile) -> UInt8 {
        if !profile.recentRuns.isEmpty { return version }
        return profile.intervals == nil ? versionWithoutIntervals : versionOfIntervals
    }

    static func read(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> RunnerProfile {
        let found = try reader.byte(bytes)
        guard (versionWithoutIntervals...version).contains(found) else {
            throw .unknownVersion(found)
        }
        var profile = RunnerProfile()
        profile.treadmill = try reader.bool(bytes)
        profile.autoPause = try choice(
            try reader.byte(bytes), RunnerProfile.AutoPauseMethod.allCases)
        profile.placement = try optionalChoice(
            try reader.byte(bytes), RunnerProfile.Placement.allCases)
        profile.sex = try optionalChoice(try reader.byte(bytes), RunnerProfile.Sex.allCases)
        profile.maxHeartRate = try reader.count(bytes)
        profile.restingHeartRate = try optionalCount(&reader, bytes)
        profile.thresholdHeartRate = try optionalCount(&reader, bytes)
        profile.targetZone = try optionalCount(&reader, bytes)
        let numbers = try reader.optionalDoubles(6, bytes)
        profile.weightKg = numbers[0]
        profile.targetPaceSecondsPerKm = numbers[1]
        profile.raceKm = numbers[2]
        if let slope = numbers[3], let intercept = numbers[4] {
            profile.strideCalibration = StrideCalibration(slope: slope, intercept: intercept)
        }
        profile.safetyTimerSeconds = numbers[5]
        profile.timeZone = try reader.text(bytes)
        profile.zones = try zones(&reader, bytes)
        if found >= versionOfIntervals {
            profile.intervals = try intervals(
                &reader, bytes, isOptional: found > versionOfIntervals)
        }
        if found >= version { profile.recentRuns = try recentRuns(&reader, bytes) }
        return profile
    }

    private static func recentRuns(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> [RecentRun] {
        var runs: [RecentRun] = []
        for _ in 0..<(try reader.itemCount(bytes, bytesEach: 3)) {
            let (meters, climb) = (try reader.count(bytes), try reader.count(bytes))
            let run = RecentRun(
                meters: meters, climbMeters: climb, movingSeconds: try reader.count(bytes))
            guard let run, runs.count < RecentRun.countMax else { throw .unknownValue }
            runs.append(run)
        }
        return runs
    }

    private static func intervals(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>, isOptional: Bool
    ) throws(RecordRefusal) -> IntervalPlan? {
        var phases: [IntervalPlan.Phase] = []
        for _ in 0..<(try reader.itemCount(bytes, bytesEach: 2)) {
            phases.append(try StreamEventCodec.phase(&reader, bytes))
        }
        if isOptional, phases.isEmpty { return nil }
        guard let plan = IntervalPlan(phases: phases) else { throw .unknownValue }
        return plan
    }

    /// The order of an enum's cases is the format: append new ones at the end.
    private static func index<Value: Equatable>(_ value: Value, _ cases: [Value]) -> UInt8 {
        UInt8(cases.firstIndex(of: value) ?? 0)
    }

    private static func choice<Value>(
        _ index: UInt8, _ cases: [Value]
    ) throws(RecordRefusal) -> Value {
        guard Int(index) < cases.count else { throw .unknownValue }
        return cases[Int(index)]
    }

    private static func optionalChoice<Value>(
        _ index: UInt8, _ cases: [Value]
    ) throws(RecordRefusal) -> Value? {
        index == 0 ? nil : try choice(index - 1, cases)
    }

    private static func optionalCount(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> Int? {
        try reader.bool(bytes) ? try reader.count(bytes) : nil
    }
}
