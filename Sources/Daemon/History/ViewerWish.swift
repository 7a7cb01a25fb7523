import Foundation
import SensorModel

/// What a WebSocket viewer asks of its stream.
enum ViewerWish: Hashable, Sendable {
    /// Show the recording from that device time on.
    case seek(Timestamp)
    case pause(Bool)
    /// Times as fast as it was.
    case speed(Double)
    case live

    static let validSpeed: ClosedRange<Double> = 0.25...64

    /// - Parameter text: `{"seek":T}`, `{"pause":true}`, `{"speed":X}` or `{"live":true}`. `nil` for
    ///   anything else: a viewer's mistake harms nobody but itself.
    init?(_ text: [UInt8]) {
        guard text.count <= 1024,
            let object = try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
        else { return nil }
        if let seconds = object["seek"] as? Double {
            guard let time = Timestamp(secondsSince1970: seconds) else { return nil }
            self = .seek(time)
        } else if let pause = object["pause"] as? Bool {
            self = .pause(pause)
        } else if let speed = object["speed"] as? Double, Self.validSpeed.contains(speed) {
            self = .speed(speed)
        } else if object["live"] as? Bool == true {
            self = .live
        } else {
            return nil
        }
    }
}
