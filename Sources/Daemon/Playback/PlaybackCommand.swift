import Foundation
import SensorModel

/// What a WebSocket viewer asks of its stream.
enum PlaybackCommand: Hashable, Sendable {
    /// Show the recording from that device time on.
    case seek(Timestamp)
    case pause(Bool)
    /// Times as fast as it was.
    case speed(Double)
    case live

    static let validSpeed: ClosedRange<Double> = 0.25...64

    /// - Parameter text: `{"seek":T}`, `{"pause":true}`, `{"speed":X}`, some of them together, or
    ///   `{"live":true}`.
    /// - Returns: What to do, in this order; `nil` when any of it is wrong: half a command is none.
    static func commands(in text: [UInt8]) -> [Self]? {
        guard text.count <= 1024,
            let object = try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
        else { return nil }
        var commands: [Self] = []
        if let value = object["speed"] {
            guard let speed = value as? Double, validSpeed.contains(speed) else { return nil }
            commands.append(.speed(speed))
        }
        if let value = object["seek"] {
            guard let seconds = value as? Double,
                let time = Timestamp(secondsSince1970: seconds)
            else { return nil }
            commands.append(.seek(time))
        }
        if let value = object["pause"] {
            guard let pause = value as? Bool else { return nil }
            commands.append(.pause(pause))
        }
        if let value = object["live"] {
            guard value as? Bool == true, commands.isEmpty else { return nil }
            commands.append(.live)
        }
        return commands.isEmpty ? nil : commands
    }
}
