package import SensorModel

/// Memory of the frames that push requests hold until the log has them.
///
/// A request waits while its device sends more than the pipeline passes (``HolePace``), even after
/// its connection is gone. Small requests have a separate budget, so that a few devices with large
/// ones do not keep everybody out.
package struct PushRoom {
    /// Memory that a request has taken; to be given back once.
    package struct Hold: Sendable {
        fileprivate let bytes: Int
        fileprivate let device: DeviceID
        fileprivate let isSmall: Bool
    }

    private struct Use {
        var bytes = 0
        var smallBytes = 0
    }

    /// Bytes of a small request (a reading or a point), of one device's small requests, and of all.
    package static let (smallBytesMax, deviceSmallBytesMax, allSmallBytesMax) =
        (4 << 10, 8 << 10, 2 << 20)
    /// Bytes of one device's other requests; a single one may be larger.
    package static let deviceBytesMax = 4 << 20

    /// Bytes of all other requests.
    private let bytesMax: Int
    private var all = Use()
    private var devices: [DeviceID: Use] = [:]

    /// - Parameter bodyBytesMax: Length of the longest body. A body of small points needs six times
    ///   its length, and some of these must fit.
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
