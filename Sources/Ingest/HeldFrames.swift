import Bytes
import SensorModel

/// Frames that wait for a lower sequence, in rising order; limited in number and bytes.
struct HeldFrames: Sendable {
    struct Held: Sendable {
        var header: FrameHeader
        var payload: [UInt8]
        var arrivalTime: Timestamp
        /// Whether the frame is invalid: it uses its number, but no record follows.
        var refused: Bool

        var sequence: UInt32 { header.sequence.rawValue }
    }

    private(set) var frames: [Held] = []
    private(set) var payloadBytes = 0
    /// Arrival of the frame that has waited longest.
    private(set) var oldestArrival: Timestamp?

    var isEmpty: Bool { frames.isEmpty }
    var count: Int { frames.count }
    var firstSequence: UInt32? { frames.first?.sequence }

    /// - Returns: `false` if the number is already held.
    mutating func insert(_ held: Held) -> Bool {
        var index = frames.count
        // Most held frames come in order.
        if let last = frames.last, last.sequence >= held.sequence {
            index = position(of: held.sequence)
            if frames[index].sequence == held.sequence { return false }
        }
        frames.insert(held, at: index)
        payloadBytes += held.payload.count
        oldestArrival = min(oldestArrival ?? held.arrivalTime, held.arrivalTime)
        return true
    }

    func contains(_ sequence: UInt32) -> Bool {
        guard let last = frames.last, last.sequence >= sequence else { return false }
        return frames[position(of: sequence)].sequence == sequence
    }

    /// Removes and returns the first `count` frames.
    mutating func removeFirst(_ count: Int) -> ArraySlice<Held> {
        let taken = frames.prefix(count)
        frames = Array(frames.dropFirst(count))
        payloadBytes -= taken.reduce(0) { $0 + $1.payload.count }
        oldestArrival = frames.lazy.map(\.arrivalTime).min()
        return taken
    }

    /// The number of frames to release so that none remains that arrived at `time` or before.
    func countUntilNone(before time: Timestamp) -> Int {
        (frames.lastIndex { $0.arrivalTime <= time } ?? -1) + 1
    }

    /// The number of consecutive frames from the one at `start` on.
    func countWithoutHole(from start: Int) -> Int {
        guard start < frames.count else { return 0 }
        var index = start + 1
        while index < frames.count, frames[index].sequence == frames[index - 1].sequence + 1 {
            index += 1
        }
        return index - start
    }

    /// Limits arrival times to `time`, after the daemon's clock was set back.
    mutating func clockWentBack(to time: Timestamp) {
        for index in frames.indices where frames[index].arrivalTime > time {
            frames[index].arrivalTime = time
        }
        oldestArrival = frames.lazy.map(\.arrivalTime).min()
    }

    /// The first index whose sequence is not below `sequence`.
    private func position(of sequence: UInt32) -> Int {
        frames.partitioningIndex { $0.sequence >= sequence }
    }
}
