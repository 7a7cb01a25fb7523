import Runtime
import SensorModel
import Testing

@testable import API

@Suite struct PushRoomTests {
    @Test func `What a longest body becomes fits, whatever the limit of bodies`() {
        let lap = Frame(
            sequence: .none, deviceTime: Timestamp(microseconds: 0), payload: .control(.lap))
        let one = PushRoom.bytes(of: [lap])
        #expect(PushRoom.bytes(of: [lap, lap]) == 2 * one)
        for bodyBytesMax in [1 << 20, 64 << 20] {
            // The shortest point is an annotation of 51 bytes.
            var room = PushRoom.room(bodyBytesMax: bodyBytesMax)
            #expect(room.take(bodyBytesMax / 51 * one, for: DeviceID(rawValue: 1)) != nil)
        }
    }
}
