import SensorModel

extension GPSQuality {
    /// Selects the reference's level: below 10, 20 and 50 m.
    ///
    /// - Parameter horizontalAccuracy: Meters; `nil` or negative if unknown.
    init(horizontalAccuracy: Double?) {
        switch horizontalAccuracy {
        case .none: self = .none
        case .some(..<0): self = .none
        case .some(..<10): self = .veryGood
        case .some(..<20): self = .good
        case .some(..<50): self = .fair
        case .some: self = .weak
        }
    }
}
