import Bytes

/// Writes a ZIP archive (PKWARE's APPNOTE 6.3.10) part by part, for a reader that cannot seek.
///
/// Sizes and checksum follow each file. Of the files written, only their entries in the directory
/// stay in memory.
package struct ZipWriter {
    /// Versions that a reader needs: 2.0 for folders and deflate, 4.5 for 64-bit sizes.
    private static let (version, largeVersion): (UInt16, UInt16) = (20, 45)
    /// Bit 3: sizes follow the file. Bit 11: the name is UTF-8.
    private static let flags: UInt16 = 1 << 3 | 1 << 11
    private static let deflated: UInt16 = 8
    /// A field of this value has its number in the 64-bit extra field.
    private static let (elsewhere, elsewhereCount) = (UInt32.max, UInt16.max)

    private struct File {
        let name: [UInt8]
        let dosTime: (time: UInt16, day: UInt16)
        let isLarge: Bool
        let offset: UInt64
        var check = CRC32()
        var bytes: UInt64 = 0
        var compressedBytes: UInt64 = 0

        var version: UInt16 { isLarge ? ZipWriter.largeVersion : ZipWriter.version }
    }

    private var file: File?
    private var directory: [UInt8] = []
    private var files: UInt64 = 0
    private var offset: UInt64 = 0

    /// - Parameter offset: Bytes before the archive in its file.
    package init(after offset: UInt64 = 0) { self.offset = offset }

    /// Bytes of the directory so far, which stay in memory until the end.
    package var heldBytes: Int { directory.count }

    /// Begins a file. The one before must have ended.
    ///
    /// - Parameters:
    ///   - name: Path in the archive, at most 65,535 bytes of UTF-8.
    ///   - second: Its time, in seconds since 1970 on the clock that the reader is to see; times
    ///     before 1980 and after 2107 become the nearest one that ZIP knows.
    ///   - isLarge: Whether it may have 4 GiB or more. Some old readers refuse such a file.
    /// - Returns: The next bytes of the archive, as from the methods below.
    package mutating func begin(_ name: String, second: Int64, isLarge: Bool) -> [UInt8] {
        precondition(file == nil, "the file before has not ended")
        let name = Array(name.utf8)
        precondition(name.count <= Int(UInt16.max), "a name of \(name.count) bytes")
        let file = File(
            name: name, dosTime: Self.dosTime(second), isLarge: isLarge, offset: offset)
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(0x0403_4B50 as UInt32)
        Self.append(file, to: &bytes)
        for _ in 0..<2 { bytes.appendLittleEndian(isLarge ? Self.elsewhere : 0) }
        bytes.appendLittleEndian(UInt16(name.count))
        bytes.appendLittleEndian(UInt16(isLarge ? 20 : 0))
        bytes += name
        if isLarge { Self.appendExtra([0, 0], to: &bytes) }
        self.file = file
        return counted(bytes)
    }

    /// Appends a part of the file, compressed on its own.
    package mutating func append(_ part: DeflatedPart) -> [UInt8] {
        guard var current = file else { preconditionFailure("no file has begun") }
        current.check.add(part.source)
        current.bytes += UInt64(part.source.count)
        current.compressedBytes += UInt64(part.bytes.count)
        file = current
        return counted(part.bytes)
    }

    /// Ends the file.
    package mutating func end() -> [UInt8] {
        guard var ended = file else { preconditionFailure("no file has begun") }
        file = nil
        var bytes = DeflatedPart.end
        ended.compressedBytes += UInt64(bytes.count)
        precondition(
            ended.isLarge || max(ended.bytes, ended.compressedBytes) < UInt64(Self.elsewhere),
            "a file of 4 GiB was not said to be large")
        bytes.appendLittleEndian(0x0807_4B50 as UInt32)
        bytes.appendLittleEndian(ended.check.value)
        for size in [ended.compressedBytes, ended.bytes] {
            if ended.isLarge {
                bytes.appendLittleEndian(size)
            } else {
                bytes.appendLittleEndian(UInt32(size))
            }
        }
        appendToDirectory(ended)
        return counted(bytes)
    }

    /// Ends the archive.
    package mutating func finish() -> [UInt8] {
        precondition(file == nil, "the last file has not ended")
        let (start, size) = (offset, UInt64(directory.count))
        var bytes = directory
        directory = []
        if files >= UInt64(Self.elsewhereCount) || start + size >= UInt64(Self.elsewhere) {
            bytes.appendLittleEndian(0x0606_4B50 as UInt32)
            bytes.appendLittleEndian(44 as UInt64)
            for _ in 0..<2 { bytes.appendLittleEndian(Self.largeVersion) }
            for _ in 0..<2 { bytes.appendLittleEndian(0 as UInt32) }
            for number in [files, files, size, start] { bytes.appendLittleEndian(number) }
            bytes.appendLittleEndian(0x0706_4B50 as UInt32)
            bytes.appendLittleEndian(0 as UInt32)
            bytes.appendLittleEndian(start + size)
            bytes.appendLittleEndian(1 as UInt32)
        }
        bytes.appendLittleEndian(0x0605_4B50 as UInt32)
        bytes.appendLittleEndian(0 as UInt32)
        for _ in 0..<2 {
            bytes.appendLittleEndian(UInt16(min(files, UInt64(Self.elsewhereCount))))
        }
        bytes.appendLittleEndian(Self.short(size))
        bytes.appendLittleEndian(Self.short(start))
        bytes.appendLittleEndian(0 as UInt16)
        return counted(bytes)
    }

    private mutating func counted(_ bytes: [UInt8]) -> [UInt8] {
        offset += UInt64(bytes.count)
        return bytes
    }

    private static func short(_ number: UInt64) -> UInt32 {
        UInt32(min(number, UInt64(elsewhere)))
    }

    /// Appends what a file's header and its entry in the directory share. The checksum is 0 before
    /// the file was read.
    private static func append(_ file: File, checksum: UInt32 = 0, to bytes: inout [UInt8]) {
        for field in [
            file.version, flags, deflated, file.dosTime.time, file.dosTime.day,
        ] { bytes.appendLittleEndian(field) }
        bytes.appendLittleEndian(checksum)
    }

    private static func appendExtra(_ numbers: [UInt64], to bytes: inout [UInt8]) {
        bytes.appendLittleEndian(1 as UInt16)
        bytes.appendLittleEndian(UInt16(8 * numbers.count))
        for number in numbers { bytes.appendLittleEndian(number) }
    }

    private mutating func appendToDirectory(_ file: File) {
        let sizes = file.isLarge ? [file.bytes, file.compressedBytes] : []
        let isFar = file.offset >= UInt64(Self.elsewhere)
        let extra = sizes + (isFar ? [file.offset] : [])
        directory.appendLittleEndian(0x0201_4B50 as UInt32)
        // Made by 4.5 on Unix, for the mode below.
        directory.appendLittleEndian(3 << 8 | Self.largeVersion)
        Self.append(file, checksum: file.check.value, to: &directory)
        for size in [file.compressedBytes, file.bytes] {
            directory.appendLittleEndian(file.isLarge ? Self.elsewhere : UInt32(size))
        }
        directory.appendLittleEndian(UInt16(file.name.count))
        directory.appendLittleEndian(UInt16(extra.isEmpty ? 0 : 4 + 8 * extra.count))
        // No comment, the first disk, no internal attributes.
        for _ in 0..<3 { directory.appendLittleEndian(0 as UInt16) }
        // A regular file that only its owner can read.
        directory.appendLittleEndian(0o100600 << 16 as UInt32)
        directory.appendLittleEndian(Self.short(file.offset))
        directory += file.name
        if !extra.isEmpty { Self.appendExtra(extra, to: &directory) }
        files += 1
    }

    /// Time and day as MS-DOS writes them: with steps of 2 s, from 1980 to 2107.
    private static func dosTime(_ second: Int64) -> (time: UInt16, day: UInt16) {
        let (earliest, latest) = (315_532_800 as Int64, 4_354_819_198 as Int64)
        let second = min(max(second, earliest), latest)
        let (days, rest) = second.quotientAndRemainder(dividingBy: 86_400)
        let date = CivilDate(daysSince1970: days)
        let (hour, minute) = (rest / 3600, rest % 3600 / 60)
        return (
            UInt16(hour << 11 | minute << 5 | (rest % 60) / 2),
            UInt16((date.year - 1980) << 9 | date.month << 5 | date.day)
        )
    }
}
