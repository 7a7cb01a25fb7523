import SensorModel
import Testing

@testable import Runtime

@Suite struct DeviceRoomTests {
    private static let devices = (1...8).map { DeviceID(rawValue: $0) }
    private static let large = 4 << 20

    private static func room() -> DeviceRoom {
        DeviceRoom(largeBytesMax: 14 << 20, deviceBytesMax: large)
    }

    @Test func `One device's first request may be large, its next ones only so much together`()
        throws
    {
        var room = Self.room()
        func taken(_ bytes: Int, _ index: Int) -> DeviceRoom.Hold? {
            room.take(bytes, for: Self.devices[index])
        }
        let first = try #require(taken(Self.large + 1, 0))
        #expect(taken(DeviceRoom.smallBytesMax + 1, 0) == nil)
        #expect(taken(Self.large + 1, 1) != nil)
        room.giveBack(first)
        #expect(taken(Self.large / 2, 0) != nil)
        #expect(taken(Self.large / 2, 0) != nil)
        #expect(taken(DeviceRoom.smallBytesMax + 1, 0) == nil)
    }

    @Test func `A few devices with large requests keep no small one out`() throws {
        var room = Self.room()
        // The second time, all that the first time took has been given back.
        for _ in 0..<2 {
            let holds = Self.devices.compactMap { room.take(Self.large, for: $0) }
            #expect(holds.count == 3)
            for device in Self.devices {
                let holds = (0..<3).compactMap { _ in
                    room.take(DeviceRoom.smallBytesMax, for: device)
                }
                #expect(holds.count >= 2)
                for hold in holds { room.giveBack(hold) }
            }
            for hold in holds { room.giveBack(hold) }
        }
        #expect(room.take(14 << 20, for: Self.devices[7]) != nil)
    }
}
