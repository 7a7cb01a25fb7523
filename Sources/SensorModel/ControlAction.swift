/// A command of the wearer or the watch; the raw values are those of the wire.
public enum ControlAction: UInt8, CaseIterable, Sendable {
    case start = 1
    case pause = 2
    case resume = 3
    case lap = 4
    case stop = 5
    case sos = 6
    case cancelAlert = 7

    /// Name in text frames.
    public var name: String { String(describing: self) }

    public init?(name: String) {
        guard let action = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = action
    }
}
