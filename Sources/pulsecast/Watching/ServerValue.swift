import Bytes
import Foundation
import SensorModel

/// Validates values from a server, which may be untrusted: its text and numbers go to a terminal.
enum ServerValue {
    /// Longer texts (a name, a marker, an event) are cut.
    private static let charactersMax = 200

    /// - Returns: The text, cleaned; `nil` if there is none.
    static func text(_ value: Any?) -> String? {
        (value as? String).map { CleanText.clean($0, charactersMax: charactersMax) }
    }

    /// - Returns: A number that arithmetic and `Int` accept; `nil` for any other.
    static func number(_ value: Any?, in range: ClosedRange<Double> = -1e9...1e9) -> Double? {
        guard let number = (value as? NSNumber)?.doubleValue, range.contains(number) else {
            return nil
        }
        return number
    }
}
