public import Processing
public import SensorModel
public import WireFormat

/// Turns the recorded inputs of one session into stream events: the only path of frames to the
/// processors.
///
/// The live pipeline, the rebuild after a restart, and the verification of a replay all use it, so
/// that live and replay are equal by construction.
public struct SessionComputation: Sendable {
    public private(set) var pipeline: SessionPipeline
    /// Version of the algorithms: records of another version may differ.
    public var version: UInt16 { SessionPipeline.algorithmVersion }
    private var highestSequence = FrameSequence.none

    /// - Parameter profile: The profile in the session's first record.
    public init(profile: RunnerProfile) {
        pipeline = SessionPipeline(profile: profile)
    }

    /// Whether a frame with this number comes after later ones: sequence numbers enter the log in
    /// order, except those of late frames.
    public func isLate(_ sequence: FrameSequence) -> Bool {
        sequence.isCounted && sequence < highestSequence
    }

    /// Notes numbers missing before a frame as lost frames; the log has the others in order.
    private mutating func reach(_ sequence: FrameSequence) {
        if sequence.rawValue > highestSequence.rawValue &+ 1 { pipeline.noteLostFrames() }
        highestSequence = sequence
    }

    /// - Parameters:
    ///   - header: Header of a recorded frame.
    ///   - payload: The payload in the log.
    ///   - arrival: The arrival time in the log.
    ///   - events: The resulting events are appended.
    /// - Throws: ``FrameRefusal`` for a payload that was never valid: the log is of another
    ///   version, or is damaged in a way that its checksum does not show.
    public mutating func apply(
        frame header: FrameHeader, payload: Span<UInt8>, arrival: Timestamp,
        into events: inout [StreamEvent]
    ) throws(FrameRefusal) {
        pipeline.arrived(at: arrival)
        let late = isLate(header.sequence)
        if header.sequence.isCounted, !late { reach(header.sequence) }
        guard header.kind == .motion || header.kind == .exactMotion else {
            let value = try FramePayload.value(of: header.kind, in: payload)
            return pipeline.apply(value, at: header.deviceTime, late: late, into: &events)
        }
        try applyMotion(header, payload: payload, late: late, into: &events)
    }

    /// Changes the profile: later inputs are computed with the new one.
    public mutating func apply(
        profile: RunnerProfile, at deviceTime: Timestamp, into events: inout [StreamEvent]
    ) {
        pipeline.apply(profile: profile, at: deviceTime, into: &events)
    }

    /// Sets the course to follow from here on; `nil`: none.
    public mutating func apply(
        route: CourseRoute?, at deviceTime: Timestamp, into events: inout [StreamEvent]
    ) {
        pipeline.apply(route: route, at: deviceTime, into: &events)
    }

    public mutating func apply(
        _ tick: SessionTick, at deviceTime: Timestamp, into events: inout [StreamEvent]
    ) {
        switch tick {
        case .silence: pipeline.applySilence(at: deviceTime, into: &events)
        case .gap(let from, let to):
            pipeline.apply(gapFrom: from, to: to, at: deviceTime, into: &events)
        case .ended: pipeline.rest(at: deviceTime, into: &events)
        }
    }

    /// Applies the samples as they are read, without an array of them.
    private mutating func applyMotion(
        _ header: FrameHeader, payload: Span<UInt8>, late: Bool, into events: inout [StreamEvent]
    ) throws(FrameRefusal) {
        let layout = try MotionLayout(kind: header.kind, payload: payload)
        if let heartRate = layout.heartRate {
            do {
                let sample = try HeartRateSample(beatsPerMinute: heartRate)
                pipeline.apply(
                    heartRate: sample, at: header.deviceTime, late: late, into: &events)
            } catch { throw .value(error) }
        }
        layout.forEachSample(in: payload, from: header.deviceTime) { sample, time in
            pipeline.apply(
                motion: sample, traits: layout.traits, at: time, late: late, into: &events)
        }
    }
}
