import SensorModel
import Testing

@testable import Ingest

@Suite struct DevicePaceTests {
    private static let start = Timestamp(microseconds: 1_760_000_000_000_000)
    private static let device = DeviceID(rawValue: 1)

    private static func time(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

    @Test func `A device begins many sessions at once, then one in ten seconds`() {
        var pace = DevicePace.sessions
        for _ in 0..<20_000 {
            #expect(pace.hasRoom(Self.device, for: 1, at: Self.start))
            pace.take(1, by: Self.device, at: Self.start)
        }
        #expect(!pace.hasRoom(Self.device, for: 1, at: Self.start))
        #expect(pace.hasRoom(DeviceID(rawValue: 2), for: 1, at: Self.start))
        var begun = 0
        for second in 1...1000
        where pace.hasRoom(Self.device, for: 1, at: Self.time(Double(second))) {
            pace.take(1, by: Self.device, at: Self.time(Double(second)))
            begun += 1
        }
        #expect(begun == 100)
    }

    @Test func `A device fills four days' share of the log at once, then what it regains`() {
        var pace = DevicePace.log(mebibytesPerDay: 24, retentionBytes: nil)
        let chunk = Double(1 << 20)
        #expect(Self.mebibytes(of: &pace, at: Self.start) == 96)
        #expect(!pace.hasRoom(Self.device, for: chunk, at: Self.time(3599)))
        #expect(pace.hasRoom(Self.device, for: chunk, at: Self.time(3600)))
        // A use beyond the budget counts as the whole budget.
        pace.take(1e12, by: Self.device, at: Self.start)
        #expect(!pace.hasRoom(Self.device, for: chunk, at: Self.start))
        #expect(pace.hasRoom(Self.device, for: chunk, at: Self.time(3601)))
    }

    @Test(arguments: [
        // In MiB: budget a device and day, log size, burst, and what a day restores.
        (2048, 102_400, 8192, 2048), (2048, 10_240, 2560, 640), (2048, 64, 256, 64),
        (16, 10_240, 64, 16),
    ])
    func `A device fills a part of a log whose size is limited`(
        perDay: Int, size: Int, burst: Int, regained: Int
    ) {
        var pace = DevicePace.log(mebibytesPerDay: perDay, retentionBytes: nil)
        pace.follow(.log(mebibytesPerDay: perDay, retentionBytes: size << 20))
        #expect(Self.mebibytes(of: &pace, at: Self.start) == burst)
        #expect(Self.mebibytes(of: &pace, at: Self.time(86_400)) == regained)
    }

    /// - Returns: The MiB that a device may add at once.
    private static func mebibytes(of pace: inout DevicePace, at now: Timestamp) -> Int {
        var taken = 0
        while pace.hasRoom(device, for: Double(1 << 20), at: now), taken < 10_000 {
            pace.take(Double(1 << 20), by: device, at: now)
            taken += 1
        }
        return taken
    }

    @Test func `A clock that was set back locks no device out`() {
        var pace = DevicePace.sessions
        pace.take(20_000, by: Self.device, at: Self.start)
        #expect(pace.hasRoom(Self.device, for: 1, at: Self.time(-86_400)))
        pace.take(1, by: Self.device, at: Self.time(-86_400))
    }

    @Test func `Devices that have regained everything are forgotten`() {
        var pace = DevicePace.sessions
        for number in UInt32(1)...5000 {
            pace.take(1, by: DeviceID(rawValue: number), at: Self.time(Double(number)))
        }
        #expect(pace.count <= 1025)
    }
}
