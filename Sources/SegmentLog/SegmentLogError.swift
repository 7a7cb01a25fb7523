public import SensorModel

/// Why a log cannot be opened, read or changed.
public enum SegmentLogError: Error, Hashable, Sendable {
    /// Another process holds the log's folder.
    case inUse
    /// The log is of a newer version of the daemon; nothing was changed.
    case newerFormat(segment: String, version: UInt16, versionKnown: UInt16)
    /// The next offset is higher than recording can reach. This program did not write the segments,
    /// even if their checksums are valid.
    case offsetsUsedUp(next: RecordOffset)
    case disk(DiskError)
    /// The log is closed or its disk has failed; reading continues, changes are refused.
    case notWriting
}

extension SegmentLogError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .inUse:
            "another pulsecast uses this state folder; stop it or choose another with --state"
        case .newerFormat(let segment, let version, let known):
            "\(segment) has format \(version), this pulsecast reads up to \(known); "
                + "use the newer one"
        case .offsetsUsedUp(let next):
            "the log says that its next offset is \(next.rawValue), which no log of ours can "
                + "reach; move its folder away, or put it back from a backup"
        case .disk(let error): "\(error)"
        case .notWriting:
            "the log is not writing; see the daemon's state"
        }
    }
}
