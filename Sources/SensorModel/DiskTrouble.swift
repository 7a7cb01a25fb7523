import Glibc

/// The reason why a disk accepts no data, with words for the daemon's owner.
public enum DiskTrouble: Hashable, Sendable {
    case full
    /// The file system has room but no inode for another file.
    case noFilesLeft
    case quotaUsedUp
    case readOnly
    /// Any other error; the value is the system's error number, 0 if it is not known.
    case failing(number: Int32)

    /// - Parameter number: The system's error number of a call that failed.
    public init(number: Int32) {
        self =
            switch number {
            case ENOSPC: .full
            case EDQUOT: .quotaUsedUp
            case EROFS: .readOnly
            default: .failing(number: number)
            }
    }

    /// Whether removing files helps.
    public var endsWithRoom: Bool {
        switch self {
        case .full, .noFilesLeft, .quotaUsedUp: true
        case .readOnly, .failing: false
        }
    }

    /// Whether the disk can be read but accepts no data.
    public var isRefusal: Bool { endsWithRoom || self == .readOnly }

    /// Advice for the daemon's owner, as the rest of a sentence.
    public var advice: String {
        switch self {
        case .full, .quotaUsedUp:
            "make room, for example with journalctl --vacuum-size=200M; it goes on by itself then"
        case .noFilesLeft:
            "remove files elsewhere on that disk (df -i); it goes on by itself then"
        case .readOnly:
            "see in dmesg why, and mount it for writing; it goes on by itself then"
        case .failing: "see dmesg and smartctl -a; it goes on by itself when the disk does"
        }
    }
}

extension DiskTrouble: CustomStringConvertible {
    public var description: String {
        switch self {
        case .full: "the disk is full"
        case .noFilesLeft: "the disk has no inode left for another file"
        case .quotaUsedUp: "the disk quota is used up"
        case .readOnly: "the file system is read-only"
        case .failing(0): "the disk fails"
        case .failing(EIO): "the disk fails (input/output error)"
        case .failing(let number): "the disk fails (error \(number))"
        }
    }
}
