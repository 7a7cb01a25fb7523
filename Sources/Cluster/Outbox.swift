/// Changes on their way into the stream.
struct Outbox {
    /// One message of the stream.
    struct Message {
        var bytes: [UInt8]
        var isResignation: Bool
        /// Number of the last group that is complete with this message; `nil`: none.
        var upTo: UInt64?

        init(_ entry: StreamEntry, upTo: UInt64?) {
            bytes = entry.encoded()
            isResignation = entry.content == .resigned
            self.upTo = upTo
        }
    }

    private var groups: [[FileChange]] = []
    /// Groups that are in a message, and changes of the next group that are.
    private var sentGroups = 0
    private var sentChanges = 0
    /// Numbers of groups, from 1.
    private(set) var added: UInt64 = 0
    private(set) var kept: UInt64 = 0
    /// Encoded size of what the stream does not have, at most.
    private(set) var bytes = 0

    mutating func add(_ changes: [FileChange]) {
        guard !changes.isEmpty else { return }
        groups.append(changes)
        added += 1
        bytes += changes.reduce(0) { $0 + $1.bytes }
    }

    /// The next changes that fit a message.
    ///
    /// - Returns: `nil`: none wait.
    mutating func next(_ node: String, _ term: UInt64) -> Message? {
        guard sentGroups < groups.count else { return nil }
        var changes: [FileChange] = []
        var room = ClusterLimits.messageBytesMax - 1024
        while sentGroups < groups.count {
            let group = groups[sentGroups]
            while sentChanges < group.count, group[sentChanges].bytes <= room {
                room -= group[sentChanges].bytes
                changes.append(group[sentChanges])
                sentChanges += 1
            }
            guard sentChanges == group.count else { break }
            sentGroups += 1
            sentChanges = 0
        }
        let entry = StreamEntry(
            node: node, term: term, .changed(changes, isContinued: sentChanges > 0))
        return Message(entry, upTo: added - UInt64(groups.count - sentGroups))
    }

    /// Forgets what the stream has.
    mutating func keep(_ message: Message) {
        guard let upTo = message.upTo else { return }
        let count = Int(upTo - kept)
        for group in groups[..<count] { bytes -= group.reduce(0) { $0 + $1.bytes } }
        groups.removeFirst(count)
        sentGroups -= count
        kept = upTo
    }

    mutating func clear() {
        groups = []
        sentGroups = 0
        sentChanges = 0
        bytes = 0
    }
}
