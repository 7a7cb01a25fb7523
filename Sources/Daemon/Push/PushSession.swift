import Interchange
import Secrets
import SegmentLog
import SensorModel

/// Which session a pushed frame belongs to: applications have other names for their recordings, or
/// none, where the log has UUIDs.
///
/// They are version 8: 12 bits tell those that stand for a name of the application's (first bit 0)
/// from those of applications that name nothing (first bit 1, then the format), so that these go
/// on after a restart of the daemon.
enum PushSession {
    private static let versionMask: UInt64 = 0xFFFF
    private static let version: UInt64 = 0x8000
    private static let namelessBit: UInt64 = 0x800
    /// Sessions of a device that are looked at: more are not open at once.
    private static let newestMax = 100

    /// The same name of the same device's is the same session, for ever.
    static func identity(
        of hint: String, device: DeviceID, format: PushFormat
    ) -> SessionID {
        let hash = MessageCode.identifier(
            of: "pulsecast-push\n\(device.rawValue)\n\(format.rawValue)\n\(hint)")
        return make(high: hash.high, tag: hash.high & (namelessBit - 1), low: hash.low)
    }

    static func nameless(
        _ format: PushFormat, using generator: inout some RandomNumberGenerator
    ) -> SessionID {
        make(high: generator.next(), tag: tag(format), low: generator.next())
    }

    /// The newest session of a device that an application without names sent, if it is still open.
    static func nameless(
        _ format: PushFormat, of device: DeviceID, in catalog: SessionCatalog,
        after earliest: Timestamp
    ) -> SessionID? {
        catalog.page(of: .device(device), limit: newestMax).sessions.filter { summary in
            summary.arrivalTimes.upperBound > earliest
                && summary.session.high & versionMask == version | tag(format)
        }.max { $0.arrivalTimes.upperBound < $1.arrivalTimes.upperBound }?.session
    }

    private static func tag(_ format: PushFormat) -> UInt64 {
        let index = PushFormat.allCases.firstIndex(of: format) ?? 0
        return namelessBit | UInt64(index)
    }

    private static func make(high: UInt64, tag: UInt64, low: UInt64) -> SessionID {
        SessionID(
            high: high & ~versionMask | version | tag,
            low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }
}
