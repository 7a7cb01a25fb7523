import SensorModel

/// The last events of a share, bounded in bytes. Viewers that wait stand in it by a number; one
/// whose number has fallen out can never be told everything again and is too slow.
struct EventWindow {
    struct Entry {
        let revision: UInt64
        let alone: EncodedMessage
        let inGroup: EncodedMessage

        func message(_ place: MessagePlace) -> EncodedMessage {
            place == .alone ? alone : inGroup
        }
    }

    /// Oldest first.
    private(set) var entries: [Entry] = []
    /// Events up to this revision may be gone.
    private(set) var lostRevision: UInt64 = 0
    private var bytes = 0
    private let bytesMax: Int

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    mutating func append(_ json: [UInt8], cursor: LogCursor, revision: UInt64, runner: String) {
        let entry = Entry(
            revision: revision, alone: EncodedMessage(json: json, cursor: cursor),
            inGroup: EncodedMessage(
                json: MessageWriter.naming(runner, in: json), cursor: cursor))
        entries.append(entry)
        bytes += json.count
        var surplus = 0
        while bytes > bytesMax, surplus < entries.count {
            bytes -= entries[surplus].alone.json.count
            lostRevision = entries[surplus].revision
            surplus += 1
        }
        entries.removeFirst(surplus)
    }

    /// Oldest first: what a viewer at `revision` has not been sent.
    func entries(after revision: UInt64) -> ArraySlice<Entry> {
        var start = entries.endIndex
        while start > entries.startIndex, entries[start - 1].revision > revision { start -= 1 }
        return entries[start...]
    }
}
