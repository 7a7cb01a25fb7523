/// The erasure of sessions from one segment, prepared in a file under a temporary name.
///
/// The file is synced. Once it is renamed to its own name, it takes effect: as the segment's
/// ``ErasureIntent``, or as the segment.
struct ErasurePart: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case intent = 1
        case replacement = 2
    }

    /// Number of the segment.
    let number: UInt64
    let kind: Kind
    /// Size and fingerprint of the prepared file. A file that differs in them is not this part.
    let bytes: Int
    let fingerprint: UInt32

    init(number: UInt64, kind: Kind, bytes: Int, fingerprint: UInt32) {
        self.number = number
        self.kind = kind
        self.bytes = bytes
        self.fingerprint = fingerprint
    }

    /// Examines a prepared file.
    init(prepared kind: Kind, of number: UInt64, on disk: any Disk) throws(DiskError) {
        let name = Self.name(kind, of: number) + SegmentFormat.temporarySuffix
        let bytes = try disk.open(name, .read).size()
        self.init(
            number: number, kind: kind, bytes: bytes,
            fingerprint: try LogReader.fingerprint(of: name, bytes: bytes, on: disk))
    }

    private static func name(_ kind: Kind, of number: UInt64) -> String {
        switch kind {
        case .intent:
            SegmentFormat.fileName(of: number, suffix: SegmentFormat.erasureSuffix)
        case .replacement: SegmentFormat.fileName(of: number)
        }
    }

    /// Names of the prepared files that a segment may have.
    static func preparedNames(of number: UInt64) -> [String] {
        [Kind.replacement, .intent].map {
            name($0, of: number) + SegmentFormat.temporarySuffix
        }
    }

    private var name: String { Self.name(kind, of: number) }
    var preparedName: String { name + SegmentFormat.temporarySuffix }

    /// Whether the file still has its temporary name.
    func isPrepared(on disk: any Disk) throws(DiskError) -> Bool {
        guard let file = try disk.openIfThere(preparedName, .read), try file.size() == bytes else {
            return false
        }
        return try LogReader.fingerprint(of: preparedName, bytes: bytes, on: disk) == fingerprint
    }

    /// Renames the file to its own name. A power loss may undo this until the names are synced.
    ///
    /// - Returns: The segment's old file, if this replaced it: ``overwrite(_:)`` must erase its
    ///   bytes once the names are synced.
    /// - Throws: ``DiskError``; the part has then not taken effect.
    func takeEffect(on disk: any Disk) throws(DiskError) -> (any DiskFile)? {
        let old = kind == .replacement ? try disk.openIfThere(name, .write) : nil
        try disk.rename(preparedName, to: name)
        return old
    }

    /// Overwrites a file without a name, so that its content can no longer be read from the raw
    /// disk or by a reader that still holds it open.
    static func overwrite(_ file: any DiskFile) throws(DiskError) {
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        let bytes = try file.size()
        var position = 0
        while position < bytes {
            let count = min(zeros.count, bytes - position)
            try file.writeAll(zeros.span.extracting(first: count), at: position)
            position += count
        }
        try file.synchronize()
    }
}
