import SensorModel

extension SessionSummary {
    /// One summary a session, in the order of first offsets.
    static func merged(_ entries: some Sequence<SegmentEntry>) -> [SessionSummary] {
        var summaries: [SessionID: SessionSummary] = [:]
        for part in entries.lazy.flatMap(\.index.parts) where part.records > 0 {
            let summary = SessionSummary(part)
            summaries[part.session] = summaries[part.session]?.joined(with: summary) ?? summary
        }
        return summaries.values.sorted { $0.firstOffset < $1.firstOffset }
    }

    /// The same of one session; `nil`: it has no records. `entries` need be no more than those that
    /// hold it.
    static func merged(
        _ entries: some Sequence<SegmentEntry>, of session: SessionID
    ) -> SessionSummary? {
        var found: SessionSummary?
        for entry in entries {
            for part in entry.index.parts where part.session == session && part.records > 0 {
                let summary = SessionSummary(part)
                found = found?.joined(with: summary) ?? summary
            }
        }
        return found
    }

    private init(_ part: SegmentIndex.Part) {
        session = part.session
        device = part.device
        firstOffset = RecordOffset(rawValue: part.firstOffset)
        lastOffset = RecordOffset(rawValue: part.lastOffset)
        records = Int(part.records)
        frames = Int(part.frames)
        highestSequence = FrameSequence(rawValue: part.highestSequence)
        deviceTimes =
            part.frames > 0
            ? Timestamp(microseconds: part.deviceFirst)...Timestamp(microseconds: part.deviceLast)
            : nil
        arrivalTimes =
            Timestamp(microseconds: part.arrivalFirst)...Timestamp(microseconds: part.arrivalLast)
    }

    private func joined(with later: SessionSummary) -> SessionSummary {
        var joined = self
        joined.device = later.device
        joined.lastOffset = max(lastOffset, later.lastOffset)
        joined.records += later.records
        joined.frames += later.frames
        joined.highestSequence = max(highestSequence, later.highestSequence)
        joined.deviceTimes = Self.hull(deviceTimes, later.deviceTimes)
        joined.arrivalTimes = Self.hull(arrivalTimes, later.arrivalTimes) ?? arrivalTimes
        return joined
    }

    private static func hull(
        _ left: ClosedRange<Timestamp>?, _ right: ClosedRange<Timestamp>?
    ) -> ClosedRange<Timestamp>? {
        guard let left, let right else { return left ?? right }
        return min(left.lowerBound, right.lowerBound)...max(left.upperBound, right.upperBound)
    }
}
