import Foundation
import SensorModel

/// What a server says, as far as it is believed: it may be anybody's, and its text and numbers go to
/// a terminal.
enum ServerValue {
    /// Longer texts are cut: a name, a marker, an event.
    private static let charactersMax = 200

    /// - Returns: The text, cleaned; `nil` where there is none.
    static func text(_ value: Any?) -> String? {
        (value as? String).map { CleanText.clean($0, charactersMax: charactersMax) }
    }

    /// - Returns: A number that arithmetic and `Int` can take; `nil` for any other.
    static func number(_ value: Any?, in range: ClosedRange<Double> = -1e9...1e9) -> Double? {
        guard let number = (value as? NSNumber)?.doubleValue, range.contains(number) else {
            return nil
        }
        return number
    }
}
