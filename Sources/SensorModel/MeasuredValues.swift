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
