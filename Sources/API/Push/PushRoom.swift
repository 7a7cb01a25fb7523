package import SensorModel

/// Memory of the frames that push requests hold until the log has them.
///
/// A request waits while its device sends more than the pipeline passes (``HolePace``), after its
/// connection is gone, too.
package struct PushRoom {
    /// What all may hold, and one device beside its first request.
    package static let (bytesMax, deviceBytesMax) = (16 << 20, 4 << 20)

    private var bytes = 0
    private var devices: [DeviceID: Int] = [:]

    package init() {}

    /// - Returns: Whether there is room. Then it is taken, and must be given back.
    package mutating func take(_ count: Int, for device: DeviceID) -> Bool {
        let own = devices[device] ?? 0
        guard bytes + count <= Self.bytesMax, own == 0 || own + count <= Self.deviceBytesMax
        else { return false }
        bytes += count
        devices[device] = own + count
        return true
    }

    package mutating func giveBack(_ count: Int, of device: DeviceID) {
        bytes -= count
        let own = (devices[device] ?? 0) - count
        devices[device] = own > 0 ? own : nil
    }

    /// Bytes of a frame, decoded, encoded and on its way, beside its samples.
    private static let frameBytes = 320

    package static func bytes(of frames: [Frame]) -> Int {
        frames.reduce(0) { sum, frame in
            guard case .motion(let batch) = frame.payload else { return sum + frameBytes }
            return sum + frameBytes
                + batch.samples.count * (MemoryLayout<MotionSample>.stride + 12)
        }
    }
}
