package import SensorModel

/// Memory of the frames that push requests hold until the log has them.
///
/// A request waits while its device sends more than the pipeline passes (``HolePace``), after its
/// connection is gone, too. Small requests have room of their own, so that a few devices with large
/// ones do not keep everybody out.
package struct PushRoom {
    /// What a request has taken. Give it back once.
    package struct Hold: Sendable {
        fileprivate let bytes: Int
        fileprivate let device: DeviceID
        fileprivate let isSmall: Bool
    }

    private struct Use {
        var bytes = 0
        var smallBytes = 0
    }

    /// A reading or a point; what a device and all may hold of such requests.
    package static let (smallBytesMax, deviceSmallBytesMax, allSmallBytesMax) =
        (4 << 10, 8 << 10, 2 << 20)
    /// What one device may hold of other requests beside its first.
    package static let deviceBytesMax = 4 << 20

    /// What all may hold of other requests.
    private let bytesMax: Int
    private var all = Use()
    private var devices: [DeviceID: Use] = [:]

    /// - Parameter bodyBytesMax: Length of the longest body. One of small points becomes six times as
    ///   much, and some must fit.
    package init(bodyBytesMax: Int) {
        bytesMax = Self.largeBytesMax(bodyBytesMax: bodyBytesMax)
    }

    /// Memory of all requests together, for the budget.
    package static func bytesMax(bodyBytesMax: Int) -> Int {
        largeBytesMax(bodyBytesMax: bodyBytesMax) + allSmallBytesMax
    }

    private static func largeBytesMax(bodyBytesMax: Int) -> Int { 14 * bodyBytesMax }

    /// - Returns: `nil`: there is no room now.
    package mutating func take(_ count: Int, for device: DeviceID) -> Hold? {
        var own = devices[device] ?? Use()
        let isSmall =
            count <= Self.smallBytesMax && own.smallBytes + count <= Self.deviceSmallBytesMax
            && all.smallBytes + count <= Self.allSmallBytesMax
        if isSmall {
            own.smallBytes += count
            all.smallBytes += count
        } else {
            guard all.bytes + count <= bytesMax,
                own.bytes == 0 || own.bytes + count <= Self.deviceBytesMax
            else { return nil }
            own.bytes += count
            all.bytes += count
        }
        devices[device] = own
        return Hold(bytes: count, device: device, isSmall: isSmall)
    }

    package mutating func giveBack(_ hold: Hold) {
        var own = devices[hold.device] ?? Use()
        if hold.isSmall {
            own.smallBytes -= hold.bytes
            all.smallBytes -= hold.bytes
        } else {
            own.bytes -= hold.bytes
            all.bytes -= hold.bytes
        }
        devices[hold.device] = own.bytes + own.smallBytes > 0 ? own : nil
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
