import SensorModel
import Testing

@testable import Ingest

@Suite struct SessionPaceTests {
    private static let start = Timestamp(microseconds: 1_760_000_000_000_000)
    private static let device = DeviceID(rawValue: 1)

    private static func time(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

    @Test func `A device begins many sessions at once, then one in ten seconds`() {
        var pace = SessionPace()
        for _ in 0..<SessionPace.burst {
            #expect(pace.hasRoom(Self.device, at: Self.start))
            pace.take(Self.device, at: Self.start)
        }
        #expect(!pace.hasRoom(Self.device, at: Self.start))
        #expect(pace.hasRoom(DeviceID(rawValue: 2), at: Self.start))
        var begun = 0
        for second in 1...1000 where pace.hasRoom(Self.device, at: Self.time(Double(second))) {
            pace.take(Self.device, at: Self.time(Double(second)))
            begun += 1
        }
        #expect(begun == 100)
    }

    @Test func `A clock that was set back locks no device out`() {
        var pace = SessionPace()
        for _ in 0..<SessionPace.burst { pace.take(Self.device, at: Self.start) }
        #expect(pace.hasRoom(Self.device, at: Self.time(-86_400)))
        pace.take(Self.device, at: Self.time(-86_400))
    }

    @Test func `Devices that may begin a whole burst again are forgotten`() {
        var pace = SessionPace()
        for number in UInt32(1)...5000 {
            pace.take(DeviceID(rawValue: number), at: Self.time(Double(number)))
        }
        #expect(pace.count <= 1025)
    }
}
