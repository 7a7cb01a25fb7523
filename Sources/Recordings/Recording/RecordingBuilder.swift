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
    var measured: [Measured] = []
    private var latest: Timestamp?
    var backwardSteps = 0
    /// Whether an item found no room, so that the recording will be refused.
    private(set) var isFull = false

    /// Values that the device computed itself at one moment.
    struct Measured {
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
