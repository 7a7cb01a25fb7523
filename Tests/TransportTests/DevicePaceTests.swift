import SensorModel
import Synchronization
import Testing
import WireFormat

@testable import Transport

/// Frames that wait for their device's ``HolePace``.
@Suite struct DevicePaceTests {
    /// The clock is frozen here, so no budget is restored.
    @Test func `Frames with hours between them wait, and a hello does not`() async throws {
        try await withServer { daemon, device, http in
            let slow = try RawSocket(device)
            let webSocket = try RawSocket(http)
            _ = try await webSocket.upgrade("/v1/device")
            func frame(_ hour: Int) -> String {
                #"{"type":"heartRate","heartRate":140,"timestamp":\#(1_000_000_000 + 3600 * hour)}"#
                    + "\n"
            }
            await slow.send(DeviceSocketTests.hello + (0..<2000).map(frame).joined())
            let passed = Int((HolePace.burstTicksMax - FrameHoles.ticksOfUnknown) / 770) + 2
            await eventually("some are taken") { daemon.now.frames.count >= passed - 1 }
            // The same device through another listener.
            for text in [DeviceSocketTests.hello, frame(1), frame(2)] {
                await webSocket.send(ClientFrame.text(text))
            }
            await eventually("it is welcomed") { daemon.now.openings.count == 2 }
            #expect(daemon.now.frames.count <= passed)
            #expect(daemon.loops.counters.ringFull.load(ordering: .relaxed) == 0)
            // A hello never waits.
            let other = try RawSocket(device)
            await other.send(
                BinaryFrame.preamble
                    + DeviceSocketTests.binary(
                        .hello, 0, Array(DeviceSocketTests.hello.utf8.dropLast())))
            await eventually("another is welcomed") { daemon.now.openings.count == 3 }
            slow.close()
        }
    }

    /// The clock is frozen here: what waits for its pace waits for ever.
    @Test(arguments: [false, true])
    func `A device that leaves what must wait leaves little`(overWebSocket: Bool) async throws {
        try await withServer { daemon, device, http in
            let frames = (0..<40).map {
                #"{"type":"heartRate","heartRate":140,"timestamp":\#(1_000_000_000 + 86_400 * $0)}"#
            }
            for _ in 0..<100 {
                let socket = try RawSocket(overWebSocket ? http : device)
                if overWebSocket {
                    _ = try await socket.upgrade("/v1/device")
                    await socket.send(ClientFrame.text(DeviceSocketTests.hello))
                    await socket.send(ClientFrame.text("[\(frames.joined(separator: ","))]"))
                } else {
                    await socket.send(
                        DeviceSocketTests.hello + frames.joined(separator: "\n") + "\n")
                }
                socket.close()
            }
            await eventually("all have come") { daemon.now.openings.count == 100 }
            let kept = LeftBytes.ownMax / LeftBytes.ofConnection
            await eventually("most are over") { daemon.now.closed.count > 100 - kept }
        }
    }
}
