import PushFormats
import Runtime
import Secrets
import SegmentLog
import SensorModel

/// Maps pushed frames to sessions: applications name their recordings in their own way, or not at
/// all, and the log uses UUIDs.
///
/// The UUIDs have version 8; the 12 bits after the version tell the origin of an ID. A first bit of
/// 0 marks an ID made from an application's name. A first bit of 1, followed by the format, marks
/// an application without names, whose sessions continue after a restart of the daemon. All bits 1
/// mark an import (``SessionID/isImported``).
enum PushSession {
    private static let versionMask: UInt64 = 0xFFFF
    private static let version: UInt64 = 0x8000
    private static let namelessBit: UInt64 = 0x800
    /// Newest sessions of a device that are searched: fewer are open at once.
    private static let newestMax = 100

    /// The same name on the same device always gives the same session.
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

    /// The newest session of an application without names on this device, if it is still open.
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
