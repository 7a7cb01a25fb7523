import SensorModel

/// Collects the fields of a file that its reader does not use, as frames that an export to FIT
/// reads.
///
/// A frame holds the messages of at most a minute. It defines its local numbers, so it can be
/// decoded alone. Messages without a time belong to the start.
struct FITRemainders {
    /// Maximum bytes of all frames, so that a hostile file cannot fill the log. A watch with every
    /// sensor makes 400 KiB an hour.
    static let bytesMax = 16 << 20
    private static let secondsMax = 60.0

    private struct Batch {
        var start: Timestamp?
        var bytes: [UInt8] = []
        /// Definitions by local number; at most 16.
        var definitions: [[UInt8]] = []
        var nextLocal = 0

        /// - Returns: The number of bytes that were added.
        mutating func append(_ definition: [UInt8], _ values: [UInt8], at time: Timestamp?) -> Int {
            let before = bytes.count
            if bytes.isEmpty { start = time }
            var local = definitions.firstIndex(of: definition)
            if local == nil {
                let free = nextLocal
                nextLocal = (free + 1) % 16
                if free < definitions.count {
                    definitions[free] = definition
                } else {
                    definitions.append(definition)
                }
                bytes.append(definition[0] | UInt8(free))
                bytes += definition.dropFirst()
                local = free
            }
            bytes.append(UInt8(local ?? 0))
            bytes += values
            return bytes.count - before
        }
    }

    /// Indexes of ``batches``.
    private static let head = 0
    private static let timed = 1

    /// Fields that no frame holds.
    private(set) var dropped = FieldCounts()
    private var batches = [Batch(), Batch()]
    private var frames: [(time: Timestamp?, messages: ForeignMessages)] = []
    private var newest: Timestamp?
    private var bytes = 0

    /// Frames so far.
    var frameCount: Int { frames.count }

    /// - Parameters:
    ///   - remainder: The unused fields of a message.
    ///   - time: Time of the message; `nil` if it has none, so that it keeps its place in the file.
    mutating func add(_ remainder: FITRemainder, at time: Timestamp?) {
        if let time { newest = time }
        guard !remainder.isEmpty else { return }
        append(remainder, to: Self.timed, at: newest)
    }

    /// Adds a message that applies to the whole file.
    mutating func add(head remainder: FITRemainder) {
        guard !remainder.fields.isEmpty else { return }
        append(remainder, to: Self.head, at: nil)
    }

    private mutating func append(
        _ remainder: FITRemainder, to index: Int, at time: Timestamp?
    ) {
        let definition = remainder.definition
        let values = remainder.values
        let size = definition.count + 1 + values.count
        guard size <= ForeignMessages.bytesMax, bytes + size <= Self.bytesMax else {
            return remainder.count(in: &dropped)
        }
        let isFull = batches[index].bytes.count + size > ForeignMessages.bytesMax
        if isFull || isOver(batches[index], at: time) { close(index) }
        bytes += batches[index].append(definition, values, at: time)
    }

    private func isOver(_ batch: Batch, at time: Timestamp?) -> Bool {
        guard let start = batch.start, let time else { return false }
        return time < start || time.seconds(since: start) > Self.secondsMax
    }

    private mutating func close(_ index: Int) {
        let batch = batches[index]
        batches[index] = Batch()
        guard !batch.bytes.isEmpty else { return }
        frames.append((batch.start, ForeignMessages(format: .fit, bytes: batch.bytes)))
    }

    /// Ends the collection.
    ///
    /// - Parameter recorded: The frames of the recording, in order of time.
    /// - Returns: All frames in order of time. At equal times, the recording's come first.
    mutating func merged(into recorded: [Frame]) -> [Frame] {
        guard let first = recorded.first?.deviceTime, let last = recorded.last?.deviceTime else {
            return recorded
        }
        close(Self.head)
        close(Self.timed)
        let slack = RecordingBuilder.jumpMicroseconds
        let kept = first.advanced(byMicroseconds: -slack)...last.advanced(byMicroseconds: slack)
        var additions: [Frame] = []
        for frame in frames {
            let time = frame.time ?? first
            guard kept.contains(time) else {
                FITRemainders.count(frame.messages, in: &dropped)
                continue
            }
            additions.append(
                Frame(
                    sequence: .none, deviceTime: min(max(time, first), last),
                    payload: .foreign(frame.messages)))
        }
        let all = recorded + additions
        return all.indices.sorted { (all[$0].deviceTime, $0) < (all[$1].deviceTime, $1) }
            .map { all[$0] }
    }

    private static func count(_ messages: ForeignMessages, in counts: inout FieldCounts) {
        for message in FITRemainders.messages(in: messages) {
            FITRemainder(message).count(in: &counts)
        }
    }

    /// The messages of a frame, up to the first that cannot be read.
    static func messages(in foreign: ForeignMessages) -> [FITMessage] {
        var decoder = FITDecoder(messages: foreign.bytes)
        var messages: [FITMessage] = []
        // A device may send data that is not FIT.
        while let message = try? decoder.next() { messages.append(message) }
        return messages
    }
}
