import Bytes

/// The kind byte of a binary frame, as on the wire and in the log.
public enum FrameKind: UInt8, CaseIterable, Sendable {
    case hello = 0x01
    case heartRate = 0x02
    /// Samples as 16-bit integers: the wire's own form.
    case motion = 0x03
    case location = 0x04
    case control = 0x05
    case pressure = 0x06
    case status = 0x07
    case marker = 0x08
    case source = 0x09
    /// Values that a sensor computed itself, as a foot pod does.
    case measured = 0x0A
    /// Messages of another program's format, which only an export reads.
    case foreign = 0x0B
    /// Samples of a text frame as 32-bit floats, with its heart rate; in the log only. A text frame
    /// has more digits than the wire's integers, and an export returns all of them.
    case exactMotion = 0x13
    case welcome = 0x81
    case ack = 0x82
    case command = 0x83
    case error = 0x84

    /// Whether the log may hold it: all kinds that devices send, except the hello.
    public var isRecordable: Bool {
        switch self {
        case .hello, .welcome, .ack, .command, .error: false
        default: true
        }
    }
}

/// The fields in front of every frame's payload.
public struct FrameHeader: Hashable, Sendable {
    public var kind: FrameKind
    public var sequence: FrameSequence
    public var deviceTime: Timestamp

    @inlinable
    public init(kind: FrameKind, sequence: FrameSequence, deviceTime: Timestamp) {
        self.kind = kind
        self.sequence = sequence
        self.deviceTime = deviceTime
    }
}

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
        case measured(MeasuredValues)
        case foreign(ForeignMessages)
    }
}

/// Messages of another program's format, as bytes that nothing here interprets. An export to that
/// format returns them.
public struct ForeignMessages: Hashable, Sendable {
    public enum Format: UInt8, CaseIterable, Sendable {
        /// Definition and data messages without header and check sum. The first of each local
        /// number is a definition, so the bytes can be read alone.
        case fit = 1

        /// The value of the field in text frames.
        public var name: String { String(describing: self) }
    }

    /// The largest payload of a frame, less the byte for the format.
    public static let bytesMax = Limits.framePayloadBytesMax - 1

    public var format: Format
    /// 1…``bytesMax`` bytes.
    public var bytes: [UInt8]

    public init(format: Format, bytes: [UInt8]) {
        self.format = format
        self.bytes = bytes
    }

    /// The text form: two hexadecimal digits a byte. `nil` for an unknown format, for other
    /// characters, and for a length that no frame has.
    public init?(format name: String, digits: some Collection<UInt8>) {
        guard let format = Format.allCases.first(where: { $0.name == name }),
            (2...2 * Self.bytesMax).contains(digits.count),
            let bytes = Hexadecimal.bytes(of: digits)
        else { return nil }
        self.init(format: format, bytes: bytes)
    }

    public var digits: String { Hexadecimal.text(of: bytes) }
}

/// Values that a sensor, such as a watch, foot pod or treadmill, computed itself at one moment.
///
/// Each value lies on the grid of its quantity, so that the wire, the log and files hold the same.
public struct MeasuredValues: Hashable, Sendable {
    /// A quantity; the raw value is its number on the wire.
    public enum Quantity: UInt8, CaseIterable, Sendable {
        /// Steps/min, both feet.
        case cadence = 1
        /// Turns of the pedals a minute.
        case pedalCadence = 2
        /// Watts.
        case power = 3
        /// Steps since the sensor began to count.
        case stepCount = 4
        /// Meters per second.
        case speed = 5
        /// Meters since the sensor began to count.
        case distance = 6
        /// Meters from one step to the next of the same foot: two steps.
        case strideLength = 7
        /// Seconds that a foot is on the ground.
        case groundContact = 8
        /// Ground contact as a percentage of the time between two steps of that foot.
        case groundContactPercent = 9
        /// The left foot's percentage of both ground contacts.
        case groundContactBalance = 10
        /// Meters that the trunk rises and falls in a step.
        case verticalOscillation = 11
        /// Vertical oscillation as a percentage of the step's length.
        case verticalRatio = 12
        /// Slope of the ground or of the treadmill, percent.
        case inclination = 13
        /// Kilocalories since the sensor began to count.
        case energy = 14

        /// The field in text frames.
        public var name: String { String(describing: self) }

        /// Decimals of its grid.
        public var decimals: Int {
            switch self {
            case .stepCount: 0
            case .power, .energy: 1
            case .pedalCadence, .distance, .groundContactPercent, .groundContactBalance,
                .verticalRatio, .inclination:
                2
            case .cadence, .speed: 3
            case .strideLength, .groundContact, .verticalOscillation: 4
            }
        }

        /// The possible values. Each is below 2³¹ steps of the grid.
        public var range: ClosedRange<Double> {
            switch self {
            case .cadence: 0...400
            case .pedalCadence: 0...300
            case .power, .energy: 0...100_000
            case .stepCount: 0...100_000_000
            case .speed: 0...100
            case .distance: 0...20_000_000
            case .strideLength, .groundContact, .verticalOscillation: 0...10
            case .groundContactPercent, .groundContactBalance, .verticalRatio: 0...100
            case .inclination: -100...100
            }
        }

        /// Whether it is a running total since the sensor began to count.
        public var isCount: Bool {
            switch self {
            case .stepCount, .distance, .energy: true
            default: false
            }
        }

        /// A sensor's priority there, higher when nearer to what is measured; the highest counts.
        public func rank(at placement: Placement?) -> Int {
            switch (self, placement) {
            case (.speed, .treadmill), (.distance, .treadmill), (.inclination, .treadmill): 3
            case (_, .foot), (_, .ankle): 2
            case (_, .chest), (_, .hip): 1
            default: 0
            }
        }

        var steps: Double {
            (0..<decimals).reduce(1) { steps, _ in steps * 10 }
        }
    }

    /// The place where the sensor is worn, or the machine that it is part of.
    public enum Placement: UInt8, CaseIterable, Sendable {
        case foot = 1
        case ankle, hip, chest, wrist, hand, pocket, treadmill, bicycle

        /// The value of the field in text frames.
        public var name: String { String(describing: self) }

        public init?(name: String) {
            guard let known = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = known
        }
    }

    /// Name of the sensor, cleaned, 1…``Limits/sourceBytesMax`` bytes of UTF-8; `nil`: unknown.
    public var source: String?
    public var placement: Placement?
    /// The values on their grids, by quantity.
    public private(set) var gridValues: [Quantity: Int32] = [:]

    public init(source: String? = nil, placement: Placement? = nil) {
        self.source = source
        self.placement = placement
    }

    /// Whether it has no value.
    public var isEmpty: Bool { gridValues.isEmpty }

    /// The quantities that have a value, in the order of their numbers.
    public var quantities: [Quantity] { gridValues.keys.sorted { $0.rawValue < $1.rawValue } }

    public subscript(quantity: Quantity) -> Double? {
        gridValues[quantity].map { Double($0) / quantity.steps }
    }

    /// Sets a value, rounded to its grid.
    ///
    /// - Throws: ``SensorError`` for a value that is not finite or out of the quantity's range.
    public mutating func set(_ quantity: Quantity, to value: Double) throws(SensorError) {
        guard value.isFinite else { throw .notFinite }
        guard quantity.range.contains(value) else {
            throw .valueOutOfRange(name: quantity.name, value: value, range: quantity.range)
        }
        gridValues[quantity] = Int32((value * quantity.steps).rounded())
    }

    /// Sets a value in steps of its grid.
    ///
    /// - Throws: ``SensorError`` for a value out of the quantity's range.
    public mutating func set(_ quantity: Quantity, grid: Int32) throws(SensorError) {
        try set(quantity, to: Double(grid) / quantity.steps)
    }
}
