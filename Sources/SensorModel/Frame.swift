/// One unit a device sends, decoded and valid.
public struct Frame: Hashable, Sendable {
    /// The device's own counter; ``FrameSequence/none`` if the device does not count.
    public var sequence: FrameSequence
    /// Time of the payload, or of its first sample.
    public var deviceTime: Timestamp
    public var payload: Payload

    public init(sequence: FrameSequence, deviceTime: Timestamp, payload: Payload) {
        self.sequence = sequence
        self.deviceTime = deviceTime
        self.payload = payload
    }

    public enum Payload: Hashable, Sendable {
        case heartRate(HeartRateSample)
        case motion(MotionBatch)
        case location(Location)
        case control(ControlAction)
        /// Hectopascals, 300…1200.
        case pressure(hectopascals: Float)
        case status(DeviceStatus)
        /// A note from the device, cleaned, at most ``Limits/markerBytesMax`` bytes of UTF-8.
        case marker(String)
        /// Name of the source of the heart rates that follow, at most ``Limits/sourceBytesMax``
        /// bytes.
        case source(String)
    }
}

/// Consecutive motion samples, equally spaced.
public struct MotionBatch: Hashable, Sendable {
    public var traits: MotionTraits
    /// Time between two samples; 0 for a single sample.
    public var intervalMicroseconds: UInt32
    /// 1…``Limits/motionSamplesMax``.
    public var samples: [MotionSample]
    /// Heart rate from the same text frame (the RunningBuddy form), beats/min.
    public var heartRate: Double?

    public init(
        traits: MotionTraits, intervalMicroseconds: UInt32, samples: [MotionSample],
        heartRate: Double? = nil
    ) {
        self.traits = traits
        self.intervalMicroseconds = intervalMicroseconds
        self.samples = samples
        self.heartRate = heartRate
    }
}

/// A command of the wearer or the watch; the raw values are those of the wire.
public enum ControlAction: UInt8, CaseIterable, Sendable {
    case start = 1
    case pause = 2
    case resume = 3
    case lap = 4
    case stop = 5
    case sos = 6
    case cancelAlert = 7
}

public struct DeviceStatus: Hashable, Sendable {
    /// 0…100; `nil`: not reported.
    public var batteryPercent: UInt8?
    public var charging: Bool

    public init(batteryPercent: UInt8?, charging: Bool) {
        self.batteryPercent = batteryPercent
        self.charging = charging
    }
}
