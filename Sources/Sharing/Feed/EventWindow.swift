import SensorModel

/// The last events of a share, bounded in bytes. A waiting viewer has a position in it by revision.
/// A viewer whose position is no longer in it has lost events and counts as too slow.
struct EventWindow {
    /// An event; a class, so that the form for groups is made once, and only if needed.
    final class Entry {
        let revision: UInt64
        let alone: EncodedMessage
        private let runnerName: String
        private lazy var inGroup = EncodedMessage(
            json: MessageWriter.naming(runnerName, in: alone.json), cursor: alone.cursor)

        init(_ alone: EncodedMessage, revision: UInt64, runnerName: String) {
            self.alone = alone
            self.revision = revision
            self.runnerName = runnerName
        }

        /// Bytes of the JSON text, two objects and the headers of their arrays.
        var bytes: Int { 192 + alone.json.count }

        func message(_ place: MessagePlace) -> EncodedMessage {
            place == .alone ? alone : inGroup
        }
    }

    /// Entries, oldest first.
    private(set) var entries: [Entry] = []
    /// Events up to this revision may be gone.
    private(set) var lostRevision: UInt64 = 0
    /// Bytes of the entries.
    private(set) var bytes = 0

    mutating func append(
        _ json: [UInt8], cursor: LogCursor, revision: UInt64, runner: String, bytesMax: Int
    ) {
        let message = EncodedMessage(json: json, cursor: cursor)
        let entry = Entry(message, revision: revision, runnerName: runner)
        entries.append(entry)
        bytes += entry.bytes
        var surplus = 0
        var rest = bytes
        while rest > bytesMax, surplus < entries.count {
            rest -= entries[surplus].bytes
            surplus += 1
        }
        giveUp(surplus)
    }

    /// Drops the older half of the entries, a single one too.
    mutating func evictOlderHalf() {
        giveUp((entries.count + 1) / 2)
    }

    private mutating func giveUp(_ count: Int) {
        guard count > 0 else { return }
        lostRevision = entries[count - 1].revision
        // A slice would share the array's storage, and the removal would then copy the window.
        for index in 0..<count { bytes -= entries[index].bytes }
        entries.removeFirst(count)
    }

    /// Entries that a viewer at `revision` has not received yet, oldest first.
    func entries(after revision: UInt64) -> ArraySlice<Entry> {
        var start = entries.endIndex
        while start > entries.startIndex, entries[start - 1].revision > revision { start -= 1 }
        return entries[start...]
    }
}
