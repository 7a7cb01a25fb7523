/// An erasure that concerns several segments: the file `erasure` in the log's folder.
///
///      0  8 bytes "PULSERAC"
///      8  u32 parts
///     12  parts × (u64 segment number, u8 kind: 1 changes in place, 2 a new file; u64 bytes,
///         u32 fingerprint of the prepared file)
///         u32 CRC-32C of all before
///
/// All part files are prepared and durable before this file exists. From then on all parts take
/// effect: by the same call, by a later one, or by the next start before it reads a segment.
/// Meanwhile ``OverlayDisk`` shows readers all segments as they will be. So a session is never
/// erased from only some of its segments.
struct ErasureCommit: Hashable, Sendable {
    static let name = "erasure"
    private static let magic: [UInt8] = Array("PULSERAC".utf8)
    private static let fixedBytes = 12
    private static let partBytes = 21
    /// More segments than a log of 64 TB has.
    private static let partsMax = 1 << 20
    private static let bytesMax = fixedBytes + partsMax * partBytes + Checksum.fileBytes

    let parts: [ErasurePart]

    init(_ parts: [ErasurePart]) {
        self.parts = parts
    }

    func encoded() -> [UInt8] {
        let end = Self.fixedBytes + parts.count * Self.partBytes
        var bytes = [UInt8](repeating: 0, count: end)
        var span = bytes.mutableSpan
        LittleEndian.copy(Self.magic.span, into: &span, at: 0)
        LittleEndian.store(UInt32(parts.count), in: &span, at: 8)
        for (index, part) in parts.enumerated() {
            let place = Self.fixedBytes + index * Self.partBytes
            LittleEndian.store(part.number, in: &span, at: place)
            span[place + 8] = part.kind.rawValue
            LittleEndian.store(UInt64(part.bytes), in: &span, at: place + 9)
            LittleEndian.store(part.fingerprint, in: &span, at: place + 17)
        }
        Checksum.seal(&bytes)
        return bytes
    }

    /// `nil` for a file that was not completely written.
    init?(decoding bytes: [UInt8]) {
        let span = bytes.span
        guard let end = Checksum.sealedBytes(of: bytes), end >= Self.fixedBytes,
            bytes.starts(with: Self.magic)
        else { return nil }
        let count = Int(LittleEndian.load(UInt32.self, from: span, at: 8))
        guard count <= Self.partsMax, Self.fixedBytes + count * Self.partBytes == end else {
            return nil
        }
        var parts: [ErasurePart] = []
        for index in 0..<count {
            let place = Self.fixedBytes + index * Self.partBytes
            guard let kind = ErasurePart.Kind(rawValue: bytes[place + 8]),
                let size = Int(
                    exactly: LittleEndian.load(UInt64.self, from: span, at: place + 9))
            else { return nil }
            parts.append(
                ErasurePart(
                    number: LittleEndian.load(UInt64.self, from: span, at: place), kind: kind,
                    bytes: size,
                    fingerprint: LittleEndian.load(UInt32.self, from: span, at: place + 17)))
        }
        self.init(parts)
    }

    /// - Returns: The erasure under way; `nil` if there is none.
    /// - Throws: ``DiskError``
    static func read(from disk: any Disk) throws(DiskError) -> ErasureCommit? {
        guard let file = try disk.openIfThere(name, .read) else { return nil }
        let size = try file.size()
        guard size <= bytesMax else { return nil }
        return ErasureCommit(decoding: try file.readUp(to: size, at: 0))
    }

    /// Returns the erasure under way, or `nil` if the file cannot be read twice in a row.
    ///
    /// A few unreadable bytes must not make the log unusable. Parts that have taken effect then
    /// stay; the other parts never take effect.
    static func readIfPossible(from disk: any Disk) -> ErasureCommit? {
        do throws(DiskError) { return try read(from: disk) } catch {
            return try? read(from: disk)
        }
    }

    func part(of number: UInt64) -> ErasurePart? { parts.first { $0.number == number } }

    /// Begins the erasure. ``complete(on:)`` must then finish it, now or after a crash.
    ///
    /// - Throws: ``DiskError``; the erasure has then not begun.
    func store(on disk: any Disk) throws(DiskError) {
        // The part files must survive a power loss before this file names them.
        try disk.synchronizeNames()
        let temporary = try disk.writeTemporary(encoded(), for: Self.name)
        try disk.rename(temporary, to: Self.name)
    }

    /// Puts all parts into effect. The caller must then complete those that are intents.
    ///
    /// - Throws: ``DiskError``; the call must then be repeated.
    func complete(on disk: any Disk) throws(DiskError) {
        // Otherwise a power loss could undo this file but not all of its parts.
        try disk.synchronizeNames()
        var old: [any DiskFile] = []
        for part in parts where try part.isPrepared(on: disk) {
            if let file = try part.takeEffect(on: disk) { old.append(file) }
        }
        try disk.synchronizeNames()
        // If the file stays, or a power loss restores it, no part of it is prepared any more.
        SegmentLog.tryToRemove(Self.name, on: disk)
        for file in old { try ErasurePart.overwrite(file) }
    }
}
