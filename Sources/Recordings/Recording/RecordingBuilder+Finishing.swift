import SensorModel

/// What is done once all of a file was read.
extension RecordingBuilder {
    /// - Returns: The recording in order of time, with a start.
    /// - Throws: ``RecordingError/nothingToPlay(_:)`` when no sensor's value is left,
    ///   ``RecordingError/tooMuch(_:itemsMax:)`` when items found no room.
    mutating func finish() throws(RecordingError) -> Recording {
        guard !isFull else { throw .tooMuch(recording.format, itemsMax: itemsMax) }
        // Each item was counted when it came.
        itemsMax = .max
        addMeasured()
        putInOrder()
        cutAtJumps()
        guard let first = recording.frames.first, recording.frames.contains(where: \.isMeasured)
        else { throw .nothingToPlay(recording.format) }
        recording.start = first.deviceTime
        return recording
    }

    /// Adds measured values after frames of the same time, from which our own values are computed.
    private mutating func addMeasured() {
        for var moment in measured {
            if let cadence = moment.cadence {
                moment.values.set(.cadence, to: cadence, refusals: &recording.refused)
            }
            guard !moment.values.isEmpty else { continue }
            if moment.values.source == nil { moment.values.source = source }
            add(.measured(moment.values), at: moment.time)
        }
        measured = []
    }

    private mutating func putInOrder() {
        if backwardSteps > 0 {
            let times = backwardSteps == 1 ? "once" : "\(backwardSteps) times"
            recording.notes.append(
                "The clock ran backwards \(times); all was put in order of time.")
        }
        sortFrames()
        recording.deviceValues.sort { $0.time < $1.time }
        recording.pauses.sort { $0.start < $1.start }
        recording.laps.sort { $0.start < $1.start }
    }

    /// Sorts by time; equal times keep their order.
    mutating func sortFrames() {
        guard
            recording.frames.indices.dropFirst().contains(where: {
                recording.frames[$0].deviceTime < recording.frames[$0 - 1].deviceTime
            })
        else { return }
        let order = recording.frames.indices.sorted {
            (recording.frames[$0].deviceTime, $0) < (recording.frames[$1].deviceTime, $1)
        }
        recording.frames = order.map { recording.frames[$0] }
    }

    /// Drops a leading resume whose pause lies beyond a jump.
    private mutating func dropHalfPause() {
        let first = recording.frames.firstIndex { frame in
            frame.payload == .control(.pause) || frame.payload == .control(.resume)
        }
        guard let first, recording.frames[first].payload == .control(.resume) else { return }
        recording.frames.remove(at: first)
    }

    /// Keeps the stretch between jumps that has the most frames.
    private mutating func cutAtJumps() {
        let frames = recording.frames
        var kept = 0..<0
        var start = 0
        for index in frames.indices {
            let next = index + 1
            let jumps =
                next == frames.count
                || frames[next].deviceTime.microseconds - frames[index].deviceTime.microseconds
                    > Self.jumpMicroseconds
            guard jumps else { continue }
            if next - start > kept.count { kept = start..<next }
            start = next
        }
        guard kept.count < frames.count, let first = frames[kept].first?.deviceTime,
            let last = frames[kept].last?.deviceTime
        else { return }
        recording.refused.add("beyond a jump of the clock", count: frames.count - kept.count)
        recording.notes.append(
            "The clock jumps by more than a day; only the longest stretch was kept.")
        recording.frames = Array(frames[kept])
        dropHalfPause()
        recording.deviceValues.removeAll { $0.time < first || $0.time > last }
        recording.pauses.removeAll { $0.end < first || $0.start > last }
        recording.laps.removeAll { $0.end < first || $0.start > last }
    }
}
