import SensorModel

/// Collects the contents of a file in any order and makes a ``Recording`` from them.
///
/// It counts and drops values that a device could not have sent, for all readers.
struct RecordingBuilder: FrameCollector {
    /// A longer jump means that the clock was wrong before or after it: no pause is so long.
    static let jumpMicroseconds: Int64 = 36 * 3600 * 1_000_000

    /// Maximum strides of one foot a minute: 150 are 300 steps per minute.
    private static let stridesPerMinuteMax = 150.0

    var recording: Recording
    /// Maximum number of frames, measured values and ``others``. A recording with more is refused.
    var itemsMax = Int.max
    /// Items that the reader holds itself, or that held nothing usable.
    var others = 0 { didSet { isFull = isFull || itemCount > itemsMax } }
    /// Source of the measured values that name no source.
    var source: String?
    private var measured: [Measured] = []
    private var latest: Timestamp?
    private var backwardSteps = 0
    /// Whether an item found no room, so that the recording will be refused.
    private(set) var isFull = false

    /// Values that the device computed itself at one moment.
    private struct Measured {
        var time: Timestamp
        var values: MeasuredValues
        /// Cadence in the unit of the file, see ``convertCadence(onFoot:)``.
        var cadence: Double?
    }

    init(format: RecordingFormat) {
        recording = Recording(format: format)
    }

    /// Times from the earliest allowed one. A clock that is too late shows as a jump.
    var believableTimes: PartialRangeFrom<Timestamp> { Timestamp.earliestDeviceTime... }

    mutating func refuse(_ reason: String) {
        recording.refused.add(reason)
    }

    mutating func append(_ frame: Frame) {
        guard hasRoom() else { return }
        recording.frames.append(frame)
    }

    private var itemCount: Int { recording.frames.count + measured.count + others }

    private mutating func hasRoom() -> Bool {
        isFull = isFull || itemCount >= itemsMax
        return !isFull
    }

    /// - Parameter time: Time of the file's next row or record, normally not earlier than the
    ///   previous one.
    mutating func follow(_ time: Timestamp) {
        if let latest, time < latest { backwardSteps += 1 }
        latest = time
    }

    mutating func add(_ values: DeviceValues) {
        guard !values.isEmpty, values.time >= .earliestDeviceTime, hasRoom() else { return }
        recording.deviceValues.append(values)
    }

    /// Adds values that the device computed itself, as a frame and for comparison.
    ///
    /// - Parameters:
    ///   - values: Values with their own source, or none.
    ///   - cadence: Cadence in the unit of the file.
    ///   - time: Time of the values.
    mutating func add(_ values: MeasuredValues, cadence: Double?, at time: Timestamp) {
        add(
            DeviceValues(
                time: time, cadence: cadence, distanceMeters: values[.distance],
                speedMetersPerSecond: values[.speed], powerWatts: values[.power]))
        guard cadence != nil || !values.isEmpty, time >= .earliestDeviceTime, hasRoom() else {
            return
        }
        measured.append(Measured(time: time, values: values, cadence: cadence))
    }

    /// - Parameters:
    ///   - start: Time at which the timer stopped.
    ///   - end: Time at which it started again; not before `start`.
    ///   - automatic: Whether the device paused automatically. Such a pause is kept beside the
    ///     frames and not replayed, because the daemon detects its own pauses.
    mutating func addPause(start: Timestamp, end: Timestamp, automatic: Bool) {
        recording.pauses.append(RecordedPause(start: start, end: end, automatic: automatic))
        guard !automatic else { return }
        add(.control(.pause), at: start)
        add(.control(.resume), at: end)
    }

    /// Converts the file's cadences to steps per minute.
    ///
    /// Watches count one foot. A few programs count both, which is detected by values too high for
    /// one foot. On a bicycle the cadence is that of the pedals. The conversion comes last, because
    /// the sport may come last in the file.
    mutating func convertCadence(onFoot: Bool) {
        let highest = recording.deviceValues.compactMap(\.cadence).max() ?? 0
        let factor = highest > Self.stridesPerMinuteMax ? 1.0 : 2.0
        for index in recording.deviceValues.indices {
            let cadence = recording.deviceValues[index].cadence
            recording.deviceValues[index].cadence = onFoot ? cadence.map { $0 * factor } : nil
        }
        for index in measured.indices {
            guard let cadence = measured[index].cadence else { continue }
            measured[index].cadence = nil
            measured[index].values.set(
                onFoot ? .cadence : .pedalCadence, to: onFoot ? cadence * factor : cadence,
                refusals: &recording.refused)
        }
    }

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

extension MeasuredValues {
    /// Sets a value from a file. A value out of range is counted and left out.
    mutating func set(_ quantity: Quantity, to value: Double?, refusals: inout RefusalCounts) {
        guard let value else { return }
        do { try set(quantity, to: value) } catch { refusals.add("\(quantity.name) out of range") }
    }
}

extension Frame {
    /// Whether the frame comes from a sensor rather than a button or a note.
    var isMeasured: Bool {
        switch payload {
        case .control, .status, .marker, .source, .foreign: false
        default: true
        }
    }
}
