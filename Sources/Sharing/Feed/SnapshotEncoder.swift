public import SensorModel

/// Snapshots for single requests without a subscription.
public enum SnapshotEncoder {
    public static func object(_ snapshot: FeedSnapshot, runnerName: String? = nil) -> [UInt8] {
        MessageWriter.object(
            .snapshot(initial: false), cursor: snapshot.cursor, time: snapshot.time,
            runner: runnerName, fragments: snapshot.fields)
    }

    /// Encodes a group as one object: the newest cursor and time, and each member under `runners`.
    ///
    /// - Parameters:
    ///   - members: The members in the group's order.
    ///   - cursor: Cursor for a group without a watchable member.
    ///   - now: Time for such a group.
    /// - Returns: The JSON object.
    public static func group(
        _ members: [(runnerName: String, snapshot: FeedSnapshot)], cursor: LogCursor,
        at now: Timestamp
    ) -> [UInt8] {
        let newest = members.map(\.snapshot).max { $0.cursor < $1.cursor }
        var json = ViewerJSON(reserving: 512 * (members.count + 1))
        json.raw(
            MessageWriter.object(
                .snapshot(initial: false), cursor: newest?.cursor ?? cursor,
                time: newest?.time ?? now, runner: nil, fragments: []
            ).dropLast())
        json.raw(",\"runners\":[")
        for (index, member) in members.enumerated() {
            if index > 0 { json.raw(",") }
            json.raw(object(member.snapshot, runnerName: member.runnerName))
        }
        json.raw("]}")
        return json.bytes
    }
}
