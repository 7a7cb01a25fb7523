import SensorModel
import Testing

@testable import API

@Suite struct PushRoomTests {
    private static let devices = (1...8).map { DeviceID(rawValue: $0) }
    private static let bodyBytesMax = 1 << 20
    private static let large = PushRoom.deviceBytesMax

    @Test func `One device's first request may be large, its next ones only so much together`()
        throws
    {
        var room = PushRoom(bodyBytesMax: Self.bodyBytesMax)
        func taken(_ bytes: Int, _ index: Int) -> PushRoom.Hold? {
            room.take(bytes, for: Self.devices[index])
        }
        let first = try #require(taken(Self.large + 1, 0))
        #expect(taken(PushRoom.smallBytesMax + 1, 0) == nil)
        #expect(taken(Self.large + 1, 1) != nil)
        room.giveBack(first)
        #expect(taken(Self.large / 2, 0) != nil)
        #expect(taken(Self.large / 2, 0) != nil)
        #expect(taken(PushRoom.smallBytesMax + 1, 0) == nil)
    }

    @Test func `A few devices with large requests keep no small one out`() throws {
        for _ in 0..<2 {
            var room = PushRoom(bodyBytesMax: Self.bodyBytesMax)
            let holds = Self.devices.compactMap { room.take(Self.large, for: $0) }
            #expect(holds.count == 3)
            for device in Self.devices {
                let holds = (0..<3).compactMap { _ in room.take(PushRoom.smallBytesMax, for: device)
                }
                #expect(holds.count >= 2)
                for hold in holds { room.giveBack(hold) }
            }
            for hold in holds { room.giveBack(hold) }
            #expect(room.take(14 << 20, for: Self.devices[7]) != nil)
        }
    }

    @Test func `What a longest body becomes fits, whatever the limit of bodies`() {
        let lap = Frame(
            sequence: .none, deviceTime: Timestamp(microseconds: 0), payload: .control(.lap))
        let one = PushRoom.bytes(of: [lap])
        #expect(PushRoom.bytes(of: [lap, lap]) == 2 * one)
        for bodyBytesMax in [1 << 20, 64 << 20] {
            // The shortest point is an annotation of 51 bytes.
            var room = PushRoom(bodyBytesMax: bodyBytesMax)
            #expect(room.take(bodyBytesMax / 51 * one, for: Self.devices[0]) != nil)
        }
    }
}
