import SensorModel

/// One quantity of one sensor: a column of a table, and a developer field of a FIT file.
struct SensorColumn: Hashable {
    var quantity: MeasuredValues.Quantity
    var source: String?
    var placement: MeasuredValues.Placement?

    private static let unknown = "unknown"

    /// For example `cadence (footpod, foot)`.
    var name: String {
        "\(quantity.name) (\(source ?? ""), \(placement?.name ?? Self.unknown))"
    }

    init(
        quantity: MeasuredValues.Quantity, source: String?, placement: MeasuredValues.Placement?
    ) {
        self.quantity = quantity
        self.source = source
        self.placement = placement
    }

    /// Parses a name; returns `nil` for another form.
    init?(name: String) {
        guard let open = name.firstIndex(of: "("), name.last == ")",
            let comma = name.lastIndex(of: ","), open < comma
        else { return nil }
        let known = MeasuredValues.Quantity.allCases.first { "\($0.name) " == name[..<open] }
        guard let known else { return nil }
        quantity = known
        let source = String(name[name.index(after: open)..<comma])
            .cleaned(bytesMax: Limits.sourceBytesMax)
        self.source = source.isEmpty ? nil : source
        let place = name[name.index(after: comma)...].dropFirst().dropLast()
        placement = MeasuredValues.Placement(name: String(place))
    }

    var units: String {
        switch quantity {
        case .cadence: "steps/min"
        case .pedalCadence: "rpm"
        case .power: "W"
        case .stepCount: "steps"
        case .speed: "m/s"
        case .distance, .strideLength, .verticalOscillation: "m"
        case .groundContact: "s"
        case .groundContactPercent, .groundContactBalance, .verticalRatio, .inclination: "%"
        case .energy: "kcal"
        }
    }
}

/// The values of each column in rising seconds.
struct SensorColumns {
    /// Maximum number of columns: eight sensors of fourteen quantities.
    private static let columnsMax = 112

    let columns: [SensorColumn]
    private let moments: [RecordedSession.MeasuredMoment]
    private var places: [SensorColumn: Int] = [:]
    private var next = 0

    init(_ moments: [RecordedSession.MeasuredMoment]) {
        self.moments = moments
        var columns: [SensorColumn] = []
        for moment in moments {
            for quantity in moment.values.quantities {
                let column = SensorColumn(
                    quantity: quantity, source: moment.values.source,
                    placement: moment.values.placement)
                guard places[column] == nil, columns.count < Self.columnsMax else { continue }
                places[column] = columns.count
                columns.append(column)
            }
        }
        self.columns = columns
    }

    /// Returns the newest value of each column up to the end of a second; values of earlier seconds
    /// are skipped. Values of one sensor at exactly the same time get a row each.
    mutating func values(inSecondOf time: Timestamp) -> [Double?] {
        var values = [Double?](repeating: nil, count: columns.count)
        let second = time.wholeSecond
        var newest: [SensorColumn: Timestamp] = [:]
        while next < moments.count, moments[next].time.wholeSecond <= second {
            let moment = moments[next]
            let isRepeated = moment.values.quantities.contains { quantity in
                newest[
                    SensorColumn(
                        quantity: quantity, source: moment.values.source,
                        placement: moment.values.placement)] == moment.time
            }
            if isRepeated { break }
            next += 1
            guard moment.time.wholeSecond == second else { continue }
            for quantity in moment.values.quantities {
                let column = SensorColumn(
                    quantity: quantity, source: moment.values.source,
                    placement: moment.values.placement)
                if let place = places[column] { values[place] = moment.values[quantity] }
                newest[column] = moment.time
            }
        }
        return values
    }
}
