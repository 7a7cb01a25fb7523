import Foundation
package import SensorModel

/// A command of a WebSocket viewer to its stream.
package enum PlaybackCommand: Hashable, Sendable {
    /// Plays the recording from that device time on.
    case seek(Timestamp)
    case pause(Bool)
    /// Multiple of the recorded speed.
    case speed(Double)
    case live

    package static let validSpeed: ClosedRange<Double> = 0.25...64

    /// - Parameter text: `{"seek":T}`, `{"pause":true}`, `{"speed":X}`, some of them together, or
    ///   `{"live":true}`.
    /// - Returns: Commands in this order; `nil` when any part is invalid: a command is never
    ///   applied in part.
    package static func commands(in text: [UInt8]) -> [Self]? {
        guard text.count <= 1024,
            let message = try? JSONDecoder().decode(Message.self, from: Data(text))
        else { return nil }
        var commands: [Self] = []
        if let speed = message.speed {
            guard validSpeed.contains(speed) else { return nil }
            commands.append(.speed(speed))
        }
        if let seconds = message.seek {
            guard let time = Timestamp(secondsSince1970: seconds) else { return nil }
            commands.append(.seek(time))
        }
        if let pause = message.pause { commands.append(.pause(pause)) }
        if let live = message.live {
            guard live, commands.isEmpty else { return nil }
            commands.append(.live)
        }
        return commands.isEmpty ? nil : commands
    }

    /// A field that is present must have its type: `null`, a speed `true` or a pause `1` are
    /// errors.
    private struct Message: Decodable {
        let speed: Double?
        let seek: Double?
        let pause: Bool?
        let live: Bool?

        private enum CodingKeys: CodingKey {
            case speed, seek, pause, live
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            func value<Value: Decodable>(_ type: Value.Type, _ key: CodingKeys) throws -> Value? {
                fields.contains(key) ? try fields.decode(type, forKey: key) : nil
            }
            speed = try value(Double.self, .speed)
            seek = try value(Double.self, .seek)
            pause = try value(Bool.self, .pause)
            live = try value(Bool.self, .live)
        }
    }
}
