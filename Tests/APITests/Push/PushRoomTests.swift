import SensorModel
import Testing

@testable import API

@Suite struct PushRoomTests {
    private static let devices = (1...8).map { DeviceID(rawValue: $0) }

    @Test func `One device's first request always has room, its next ones only so much`() {
        var room = PushRoom()
        let large = PushRoom.deviceBytesMax + 1
        func hasRoom(_ bytes: Int, _ index: Int) -> Bool {
            room.take(bytes, for: Self.devices[index])
        }
        #expect(hasRoom(large, 0))
        #expect(!hasRoom(1, 0))
        #expect(hasRoom(large, 1))
        room.giveBack(large, of: Self.devices[0])
        #expect(hasRoom(PushRoom.deviceBytesMax / 2, 0))
        #expect(hasRoom(PushRoom.deviceBytesMax / 2, 0))
        #expect(!hasRoom(1, 0))
    }

    @Test func `All devices together have room for so much, and for as much again afterwards`() {
        for _ in 0..<2 {
            var room = PushRoom()
            let each = PushRoom.deviceBytesMax
            let taken = Self.devices.filter { room.take(each, for: $0) }
            #expect(taken.count == PushRoom.bytesMax / each)
            for device in taken { room.giveBack(each, of: device) }
            let hasAll = room.take(PushRoom.bytesMax, for: Self.devices[7])
            #expect(hasAll)
        }
    }

    @Test func `A batch of motion counts its samples`() throws {
        let lap = Frame(
            sequence: .none, deviceTime: Timestamp(microseconds: 0), payload: .control(.lap))
        let one = PushRoom.bytes(of: [lap])
        #expect(PushRoom.bytes(of: [lap, lap]) == 2 * one)
        #expect(PushRoom.bytes(of: []) == 0)
        // 0.9 MB of laps, as an application may send them, fit into all the room.
        #expect(17_500 * one < PushRoom.bytesMax)
    }
}
