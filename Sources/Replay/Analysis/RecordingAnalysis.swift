import Processing
public import SensorModel

/// The result of the live pipeline over a recording: its final figures, pauses and splits, and the
/// values that a viewer would have seen at each second.
///
///     frames → SessionPipeline → summary, pauses, splits
///                   └ whole seconds → series
///
/// A row is added when the first sample after its second comes, before that sample is applied. So
/// the row holds all data up to its second and nothing later.
public struct RecordingAnalysis: Sendable {
    /// One second of device time.
    public struct Row: Sendable {
        /// Seconds since the first record.
        public var t: Double
        public var metrics: Metrics
    }

    public struct Pause: Hashable, Sendable {
        /// Seconds since the first record.
        public var start: Double
        /// End; `nil` if the recording ended during the pause.
        public var end: Double?
        public var automatic: Bool
    }

    /// Values that the file's reader did not use; `nil` for a session of the log.
    public var imported: Imported?
    public private(set) var series: [Row] = []
    public private(set) var pauses: [Pause] = []
    /// Kilometer splits, as last corrected.
    public private(set) var splits: [Split] = []
    /// Checkpoints of the course, in the order in which they were reached.
    public private(set) var checkpoints: [CheckpointReached] = []
    /// Every event except metrics, in order.
    public private(set) var events: [StreamEvent] = []
    /// The metrics after the last record.
    public private(set) var final = Metrics()
    /// How well the heart rate stayed in the wearer's target zone: excellent, good, fair or poor.
    /// `nil` without a target zone or a heart rate.
    public var compliance: String? {
        final.targetZonePercent.map { TargetZoneCompliance(percent: $0).rawValue }
    }
    /// Number of heart rates that changed too fast to be believed when they came.
    public var doubtedHeartRates: Int { pipeline.doubtedHeartRates }

    private var pipeline: SessionPipeline
    private var nextRow: Timestamp?
    private var newest: Timestamp?
    private var pending: [StreamEvent] = []

    /// Longest hole that gets rows, seconds; a longer one means that the clock was set.
    private static let holeSecondsMax = 86_400.0

    public init(profile: RunnerProfile, course: Course? = nil) {
        pipeline = SessionPipeline(profile: profile)
        let route = course.map { CourseRoute($0) }
        pipeline.apply(route: route, at: Timestamp(microseconds: 0), into: &pending)
    }

    /// Analyzes a whole recording.
    ///
    /// - Parameters:
    ///   - frames: Frames in order of time, as a device would have sent them.
    ///   - profile: The wearer's profile.
    ///   - course: The followed course; `nil`: none.
    public init(
        frames: some Sequence<Frame>, profile: RunnerProfile, course: Course? = nil
    ) {
        self.init(profile: profile, course: course)
        for frame in frames { add(frame) }
        finish()
    }

    public mutating func add(_ frame: Frame) {
        let time = frame.deviceTime
        if case .motion(let batch) = frame.payload { return add(batch, at: time) }
        fill(until: time)
        pipeline.apply(frame.payload, at: time, into: &pending)
        note(time)
    }

    private mutating func add(_ batch: MotionBatch, at start: Timestamp) {
        if let sample = batch.heartRateSample {
            fill(until: start)
            pipeline.apply(heartRate: sample, at: start, into: &pending)
        }
        for (index, sample) in batch.samples.enumerated() {
            let time = batch.time(of: index, from: start)
            fill(until: time)
            pipeline.apply(motion: sample, traits: batch.traits, at: time, into: &pending)
            note(time)
        }
    }

    /// Ends the analysis after the last record.
    public mutating func finish() {
        if let newest {
            fill(until: newest.advanced(byMicroseconds: 1))
            final = pipeline.metrics
            pipeline.end(at: newest, into: &pending)
            collect()
        }
    }

    // MARK: Seconds

    /// Adds the rows of all seconds before `time`.
    @inline(__always)
    private mutating func fill(until time: Timestamp) {
        if let nextRow, time > nextRow { fillRows(until: time) }
    }

    private mutating func fillRows(until time: Timestamp) {
        guard var row = nextRow, let newest else { return }
        let hole = time.seconds(since: newest)
        if hole > 60, !pipeline.believes(time) { return }
        if hole > Self.holeSecondsMax {
            // The clock was set: rows continue from here.
            nextRow = time.wholeSecond.advanced(bySeconds: 1)
            return
        }
        while row < time {
            pipeline.advance(to: row, into: &pending)
            let metrics = pipeline.metrics
            series.append(Row(t: metrics.elapsedSeconds, metrics: metrics))
            row = row.advanced(byMicroseconds: 1_000_000)
        }
        nextRow = row
    }

    @inline(__always)
    private mutating func note(_ time: Timestamp) {
        if !pending.isEmpty { collect() }
        guard let believed = pipeline.newestDeviceTime, believed != newest else { return }
        let isSetBack = nextRow.map { $0.seconds(since: believed) > 1.5 } ?? true
        if isSetBack {
            let whole = believed.wholeSecond
            nextRow = whole < believed ? whole.advanced(bySeconds: 1) : whole
        }
        newest = believed
    }

    // MARK: Events

    private mutating func collect() {
        for event in pending {
            if case .metrics = event.kind { continue }
            events.append(event)
            take(event.kind)
        }
        pending.removeAll(keepingCapacity: true)
    }

    private mutating func take(_ kind: StreamEvent.Kind) {
        switch kind {
        case .paused(let since, let automatic):
            let start = pipeline.elapsedSeconds(at: since)
            if let last = pauses.last, last.end == nil {
                pauses[pauses.count - 1].automatic = last.automatic && automatic
            } else {
                pauses.append(Pause(start: start, end: nil, automatic: automatic))
            }
        case .resumed(let since, _):
            guard let last = pauses.last, last.end == nil else { return }
            pauses[pauses.count - 1].end = pipeline.elapsedSeconds(at: since)
        case .split(let split) where split.unit == .kilometer:
            splits.append(split)
        case .correction(.split(let split)) where split.unit == .kilometer:
            if let index = splits.lastIndex(where: { $0.number == split.number }) {
                splits[index] = split
            }
        case .checkpointReached(let reached): checkpoints.append(reached)
        default: break
        }
    }
}
