import Foundation
import Runtime
import SensorModel

enum CommandCheck {
    /// The same message, decoded by `Codable`, which does not accept a number as a Boolean.
    private struct Coding: Codable {
        var speed: Double?
        var seek: Double?
        var pause: Bool?
        var live: Bool?
    }

    static func run(_ bytes: [UInt8]) throws(Breach) {
        guard let commands = PlaybackCommand.commands(in: bytes) else { return }
        try expect(bytes.count <= 1024, "\(bytes.count) bytes are a command")
        try expect((1...3).contains(commands.count), "\(commands.count) commands")
        var coding = Coding()
        for command in commands {
            switch command {
            case .speed(let speed):
                try expect(PlaybackCommand.validSpeed.contains(speed), "speed \(speed)")
                coding.speed = speed
            case .seek(let time): coding.seek = time.secondsSince1970
            case .pause(let isPaused): coding.pause = isPaused
            case .live:
                try expect(commands == [.live], "live beside another command")
                coding.live = true
            }
        }
        try expect(
            (try? JSONDecoder().decode(Coding.self, from: Data(bytes))) != nil,
            "a value of the wrong type is taken: \(commands)")
        guard let again = try? JSONEncoder().encode(coding) else {
            throw Breach(what: "not written: \(commands)")
        }
        // A double has no microsecond resolution after the year 2255.
        guard abs(coding.seek ?? 0) < 9e9 else { return }
        try expect(
            PlaybackCommand.commands(in: Array(again)) == commands,
            "another command is read from: \(commands)")
    }

    static let seeds = [
        #"{"seek":1763700000.25}"#, #"{"pause":true}"#, #"{"speed":0.25,"pause":false}"#,
        #"{"live":true}"#, #"{"speed":64,"seek":3,"pause":true}"#, #"{"speed":true}"#,
        #"{"pause":1,"live":1}"#,
    ]
}
