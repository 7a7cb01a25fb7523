import SensorModel

extension SessionSummary {
    /// One summary per session, in the order of first offsets.
    static func merged(_ entries: some Sequence<SegmentEntry>) -> [SessionSummary] {
        var summaries: [SessionSummary] = []
        var places: [SessionID: Int] = [:]
        // Without reserved capacity, growing would take half of the time.
        let count = entries.reduce(0) { $0 + $1.index.parts.count }
        summaries.reserveCapacity(count)
        places.reserveCapacity(count)
        for entry in entries {
            for part in entry.index.parts where part.records > 0 {
                let summary = SessionSummary(part)
                if let place = places[part.session] {
                    summaries[place] = summaries[place].joined(with: summary)
                } else {
                    places[part.session] = summaries.count
                    summaries.append(summary)
                }
            }
        }
        return summaries.sorted { $0.firstOffset < $1.firstOffset }
    }

    /// Merges the parts of one session, in the order of the segments; `nil`: it has no records.
    static func merged(_ parts: some Sequence<SegmentIndex.Part>) -> SessionSummary? {
        var found: SessionSummary?
        for part in parts where part.records > 0 {
            let summary = SessionSummary(part)
            found = found?.joined(with: summary) ?? summary
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
