package import SensorModel

/// Memory that requests of devices hold, with a part for each device.
///
/// Small requests have a separate budget, so that a few devices with large ones do not keep
/// everybody out.
package struct DeviceRoom: Sendable {
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

    private let largeBytesMax: Int
    private let deviceBytesMax: Int
    private var all = Use()
    private var devices: [DeviceID: Use] = [:]

    /// - Parameters:
    ///   - largeBytesMax: Bytes of all requests that are not small.
    ///   - deviceBytesMax: Bytes of one device's such requests; a single one may be larger.
    package init(largeBytesMax: Int, deviceBytesMax: Int) {
        self.largeBytesMax = largeBytesMax
        self.deviceBytesMax = deviceBytesMax
    }

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
            guard all.bytes + count <= largeBytesMax,
                own.bytes == 0 || own.bytes + count <= deviceBytesMax
            else { return nil }
            own.bytes += count
            all.bytes += count
        }
        if count > 0 { devices[device] = own }
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
}
