import SensorModel
import WireFormat

/// What a text line costs on its way into the ring: read, checked, in the binary form.
enum TextIngest {
    private static let arrival = Timestamp(microseconds: 1_763_700_000_000_000)
    private static let lines: [[UInt8]] = [
        #"{"type":"heartRate","seq":1,"heartRate":143,"timestamp":1763700000.5}"#,
        #"{"seq":2,"accelerometerX":0.123,"accelerometerY":-0.456,"accelerometerZ":0.789,"#
            + #""gyroscopeX":0.1,"gyroscopeY":-0.2,"gyroscopeZ":0.3,"timestamp":1763700000.51}"#,
        #"{"type":"location","seq":3,"latitude":48.1234567,"longitude":11.5,"altitude":512.3,"#
            + #""horizontalAccuracy":4,"verticalAccuracy":6,"speed":3.1,"course":271.5,"#
            + #""timestamp":1763700000.9}"#,
    ].map { Array($0.utf8) }
    private static let rounds = 20_000

    static var contests: [Contest] {
        FrameReading.contests("text frame, read and checked", allocationsMax: 3, decodeAll)
    }

    private static func decodeAll() -> Int {
        var decoder = TextDecoder()
        var payload: [UInt8] = []
        var frames = 0
        for _ in 0..<rounds {
            for line in lines {
                decoder.begin()
                while case .frame? = try? decoder.next(
                    in: line.span, payload: &payload, arrivalTime: arrival, recorded: true)
                { frames += 1 }
            }
        }
        precondition(frames == rounds * lines.count, "a line was refused")
        return frames
    }
}
