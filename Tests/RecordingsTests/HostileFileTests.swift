import SensorModel
import Testing

@testable import Recordings

/// Files with a few bytes a value that would expand to hundreds of megabytes, or take minutes.
@Suite struct HostileFileTests {
    private static func fit(_ messages: [UInt8]) -> [UInt8] {
        [12, 0x10, 0, 0] + little(UInt32(messages.count)) + Array(".FIT".utf8) + messages
    }

    private static func little(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static let lap: [UInt8] = [0x40, 0, 0, 19, 0, 1, 253, 4, 0x86]
    private static func laps(_ count: UInt32) -> [UInt8] {
        lap + (0..<count).flatMap { [0] + little(1_000_000_000 + $0) }
    }

    private static func read(
        _ name: String, _ file: [UInt8], itemsMax: Int = 1000
    ) throws -> Recording {
        try Recording.read(name: name, contents: .file(file), itemsMax: itemsMax)
    }

    @Test func `More laps than there is room for are too much`() {
        #expect(throws: RecordingError.tooMuch(.fit, itemsMax: 1000)) {
            try Self.read("a.fit", Self.fit(Self.laps(1001)))
        }
        #expect(throws: RecordingError.nothingToPlay(.fit)) {
            try Self.read("a.fit", Self.fit(Self.laps(900)))
        }
    }

    @Test func `A message without a byte of fields says nothing`() {
        // 255 fields of zero bytes, and a message that is only a header.
        let empty: [UInt8] = [0x41, 0, 0, 19, 0, 255] + (0..<255).flatMap { [UInt8($0), 0, 2] }
        let messages = Self.laps(3) + empty + [UInt8](repeating: 1, count: 100_000)
        #expect(throws: RecordingError.nothingToPlay(.fit)) {
            try Self.read("a.fit", Self.fit(messages))
        }
    }

    @Test func `Messages of the clock alone end when there are too many`() {
        let clock: [UInt8] = [0x40, 0, 0, 20, 0, 1, 253, 4, 0x86]
        let messages = clock + (0..<4001).flatMap { [0] + Self.little(1_000_000_000 + $0) }
        #expect(throws: RecordingError.tooMuch(.fit, itemsMax: 1000)) {
            try Self.read("a.fit", Self.fit(messages))
        }
    }

    @Test(arguments: ["1\n", "{}\n", "x\n"])
    func `Lines that say nothing are too much, too`(line: String) {
        let frame = #"{"type":"heartRate","heartRate":90,"timestamp":1700000000}"# + "\n"
        let file = Array((frame + String(repeating: line, count: 1001)).utf8)
        #expect(throws: RecordingError.tooMuch(.ndjson, itemsMax: 1000)) {
            try Self.read("a.ndjson", file)
        }
    }

    @Test func `A line as long as a file is not read`() throws {
        let frame = #"{"type":"heartRate","heartRate":90,"timestamp":1700000000}"# + "\n"
        let long = "[" + String(repeating: "0,", count: 100_000) + "0]\n"
        let recording = try Self.read("a.ndjson", Array((frame + long + frame).utf8))
        #expect(recording.frames.count == 2)
        #expect(recording.refused.counts["a line that is too long"] == 1)
    }
}
