import SensorModel

/// A field of `record` for a value that a sensor computed.
struct FITMeasuredField {
    var quantity: MeasuredValues.Quantity
    /// Number in the profile.
    var number: UInt8
    /// Number of the same field with more bits, which takes precedence if both are present.
    var enhanced: UInt8?
    var type: FITBaseType
    /// Steps of the field in one unit of the quantity.
    var scale: Double

    /// All fields but the cadence, whose meaning depends on the sport.
    static let all: [FITMeasuredField] = [
        FITMeasuredField(.distance, 5, .uint32, scale: 100),
        FITMeasuredField(.speed, 6, enhanced: 73, .uint16, scale: 1000),
        FITMeasuredField(.power, 7, .uint16, scale: 1),
        FITMeasuredField(.inclination, 9, .sint16, scale: 100),
        FITMeasuredField(.energy, 33, .uint16, scale: 1),
        // Millimeters and milliseconds, times 10.
        FITMeasuredField(.verticalOscillation, 39, .uint16, scale: 10_000),
        FITMeasuredField(.groundContactPercent, 40, .uint16, scale: 100),
        FITMeasuredField(.groundContact, 41, .uint16, scale: 10_000),
        FITMeasuredField(.verticalRatio, 83, .uint16, scale: 100),
        FITMeasuredField(.groundContactBalance, 84, .uint16, scale: 100),
        // The length of one step, half a stride.
        FITMeasuredField(.strideLength, 85, .uint16, scale: 5000),
    ]

    /// The fields for which we have no own value.
    static let withoutOwn = all.filter { $0.quantity != .distance && $0.quantity != .speed }

    static let cadence: UInt8 = 4
    static let fractionalCadence: UInt8 = 53

    private init(
        _ quantity: MeasuredValues.Quantity, _ number: UInt8, enhanced: UInt8? = nil,
        _ type: FITBaseType, scale: Double
    ) {
        self.quantity = quantity
        self.number = number
        self.enhanced = enhanced
        self.type = type
        self.scale = scale
    }

    /// The value in a message; `nil` if there is none.
    func value(in message: FITMessage) -> Double? {
        (enhanced.flatMap { message.number($0) } ?? message.number(number)).map { $0 / scale }
    }

    func field(_ value: Double?) -> FITField {
        FITField(number, type, value.map { $0 * scale })
    }
}
