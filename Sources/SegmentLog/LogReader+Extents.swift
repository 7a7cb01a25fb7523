import Bytes
public import SensorModel

extension LogReader {
    /// Where the records of several sessions lie, for one reading of all of them. It passes no more
    /// than one reading each: in a segment, what lies between the first and the last record of a
    /// session.
    ///
    /// - Parameters:
    ///   - sessions: The sessions.
    ///   - first: The first offset wanted.
    ///   - last: The last offset wanted.
    /// - Returns: Ranges in the order of the log, which do not overlap; `nil` if a part of the log is
    ///   missing, so that each session must be read by itself to be told of it.
    public func extents(
        of sessions: some Sequence<SessionID>, from first: RecordOffset, through last: RecordOffset
    ) -> [Range<RecordOffset>]? {
        let wanted = first.rawValue..<max(first.rawValue, last.rawValue) + 1
        guard !entries.hasBreak(within: wanted) else { return nil }
        var found: [Range<UInt64>] = []
        for session in sessions {
            for (entry, place) in entries(holding: session) {
                let part = entry.index.parts[place]
                guard part.records > 0 else { continue }
                let extent =
                    entry.isIndexOfAllRecords
                    ? part.firstOffset..<part.lastOffset + 1
                    : entry.index.firstOffset..<entry.index.endOffset
                let clamped = extent.clamped(to: wanted)
                if !clamped.isEmpty { found.append(clamped) }
            }
        }
        var merged: [Range<UInt64>] = []
        for extent in found.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let end = merged.last?.upperBound, extent.lowerBound <= end {
                let start = merged.removeLast().lowerBound
                merged.append(start..<max(end, extent.upperBound))
            } else {
                merged.append(extent)
            }
        }
        return merged.map {
            RecordOffset(rawValue: $0.lowerBound)..<RecordOffset(rawValue: $0.upperBound)
        }
    }
}
