import Foundation
import Testing

@testable import pulsecast

/// The output of `watch` for a malicious server.
@Suite struct WatchScreenTests {
    /// Terminal escapes (title, a one-byte sequence, a color) and text in reverse direction.
    private static let evil =
        #"\u001b]0;owned\u0007\u009b2J\u001b[31m\u202e\u200b\n\r"# + "\u{E0041}"

    private static let numbers = [
        "1e300", "-1e300", "1e18", "9223372036854775808", "-1e12", "1e308", "-0.0", "true", "null",
        "\"1\"", "[]", "{}",
    ]

    private static func object(_ json: String) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any], "\(json)")
    }

    /// Whether a line has control characters, one-byte sequences, or hidden or reversing ones.
    private static func steers(_ lines: [String]) -> Bool {
        lines.contains { line in
            line.unicodeScalars.contains { scalar in
                scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
                    || [0x200B, 0xE0041].contains(scalar.value)
            }
        }
    }

    @Test(arguments: [
        #"{"type":"event","event":"marker","text":"EVIL"}"#, #"{"type":"event","event":"EVIL"}"#,
        #"{"type":"event","event":"checkpointReached","checkpoint":"aEVILb"}"#,
        #"{"type":"snapshot","state":"EVIL","heartRate":{"bpm":150,"state":"EVIL","source":"EVIL"}}"#,
        #"{"runners":[{"type":"snapshot","runner":"EVIL","state":"EVIL"}]}"#,
        #"{"type":"update","runner":"aEVIL","state":"EVIL","heartRate":{"bpm":150}}"#,
    ])
    func `No text of a server steers the terminal`(event: String) throws {
        var screen = WatchScreen()
        let hostile = event.replacingOccurrences(of: "EVIL", with: Self.evil)
        screen.take(try Self.object(hostile), history: false)
        screen.connection = "lost: \u{1B}[2J"
        let lines = screen.lines(columns: 80, rows: 24)
        #expect(!Self.steers(lines))
        #expect(lines.count <= 24 && lines.allSatisfy { $0.count <= 80 })
    }

    @Test(arguments: numbers)
    func `No number of a server ends the program`(number: String) throws {
        let value = #"{"bpm":N,"zone":N,"ageSeconds":N,"state":"live"}"#
        let place = #"{"latitude":N,"longitude":N,"state":"live"}"#
        let fields =
            #""heartRate":\#(value),"position":\#(place),"paceSecondsPerKm":N,"distanceMeters":N,"#
            + #""elapsedSeconds":N,"movingSeconds":N,"elevationGainMeters":N,"cadence":{"stepsPerMinute":N}"#
        for (columns, rows) in [(80, 24), (20, 12), (1, 1), (0, 0)] {
            for runner in ["", #""runner":"ann","#] {
                var screen = WatchScreen()
                for told in [number, "150", "48", number] {
                    for type in ["snapshot", "update"] {
                        let event = #"{"type":"\#(type)",\#(runner)\#(fields)}"#
                            .replacingOccurrences(of: "N", with: told)
                        screen.take(try Self.object(event), history: false)
                        screen.take(try Self.object(event), history: true)
                    }
                    #expect(screen.lines(columns: columns, rows: rows).count <= rows)
                }
            }
        }
    }

    @Test func `What is right is shown as it is`() throws {
        var screen = WatchScreen()
        let snapshot =
            #"{"type":"snapshot","state":"live","heartRate":{"bpm":152,"zone":4,"state":"live"},"#
            + #""paceSecondsPerKm":328,"distanceMeters":4312.7,"movingSeconds":1432,"elapsedSeconds":3725}"#
        screen.take(try Self.object(snapshot), history: false)
        screen.take(
            try Self.object(#"{"type":"event","event":"marker","text":"Zoë 🏃‍♀️"}"#), history: false)
        let text = screen.lines(columns: 80, rows: 24).joined(separator: "\n")
        for part in ["LIVE", "152 beats/min", "5:28/km", "4.31 km", "23:52", "1:02:05"] {
            #expect(text.contains(part), "\(text)")
        }
        #expect(text.contains("marker: Zoë 🏃‍♀️"))
    }

    @Test func `A server cannot fill the memory with names`() throws {
        var screen = WatchScreen()
        for number in 0..<1000 {
            screen.take(
                try Self.object(#"{"type":"snapshot","runner":"r\#(number)"}"#), history: false)
        }
        #expect(screen.lines(columns: 80, rows: 2000).count < 60)
    }

    /// Output for scripts, and for a person who asks for JSON.
    @Test(arguments: [
        (#"{"type":"event","text":"a"}"#, #"{"type":"event","text":"a"}"#),
        ("{\"a\":1,\n\t\"b\":2}", #"{"a":1,  "b":2}"#),
        ("\u{1B}]0;owned\u{7}{}\n\u{9B}2J", "]0;owned{} 2J"),
    ])
    func `An event is one line that steers nothing`(event: String, line: String) {
        #expect(WatchCommand.line(of: event) == line)
    }
}
