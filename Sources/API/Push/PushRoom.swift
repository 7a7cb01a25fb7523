package import Runtime
package import SensorModel

/// Memory of the frames that push requests hold until the log has them.
///
/// A request waits while its device sends more than the pipeline passes (``HolePace``), even after
/// its connection is gone.
package enum PushRoom {
    /// Bytes of one device's requests that are not small; a single one may be larger.
    package static let deviceBytesMax = 4 << 20

    /// - Parameter bodyBytesMax: Length of the longest body. A body of small points needs six times
    ///   its length, and some of these must fit.
    /// - Returns: Room for the frames of all requests.
    package static func room(bodyBytesMax: Int) -> DeviceRoom {
        DeviceRoom(
            largeBytesMax: largeBytesMax(bodyBytesMax: bodyBytesMax),
            deviceBytesMax: deviceBytesMax)
    }

    /// Memory of all requests together, for the budget.
    package static func bytesMax(bodyBytesMax: Int) -> Int {
        largeBytesMax(bodyBytesMax: bodyBytesMax) + DeviceRoom.allSmallBytesMax
    }

    private static func largeBytesMax(bodyBytesMax: Int) -> Int { 14 * bodyBytesMax }

    /// Bytes of a frame in all its forms (decoded, encoded, in transit), without its samples.
    private static let frameBytes = 320

    package static func bytes(of frames: [Frame]) -> Int {
        frames.reduce(0) { sum, frame in
            guard case .motion(let batch) = frame.payload else { return sum + frameBytes }
            return sum + frameBytes
                + batch.samples.count * (MemoryLayout<MotionSample>.stride + 12)
        }
    }
}
