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
        var pace = DevicePace.log(mebibytesPerDay: 24)
        let chunk = Double(1 << 20)
        var taken = 0
        while pace.hasRoom(Self.device, for: chunk, at: Self.start), taken < 1000 {
            pace.take(chunk, by: Self.device, at: Self.start)
            taken += 1
        }
        #expect(taken == 96)
        #expect(!pace.hasRoom(Self.device, for: chunk, at: Self.time(3599)))
        #expect(pace.hasRoom(Self.device, for: chunk, at: Self.time(3600)))
        // More than there is counts as all there is.
        pace.take(1e12, by: Self.device, at: Self.start)
        #expect(!pace.hasRoom(Self.device, for: chunk, at: Self.start))
        #expect(pace.hasRoom(Self.device, for: chunk, at: Self.time(3601)))
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
