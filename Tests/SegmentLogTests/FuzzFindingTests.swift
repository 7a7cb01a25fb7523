import FaultyDisk
import Foundation
import SensorModel
import Testing

@testable import SegmentLog

/// Segments found by `tools/fuzz`, with corrected checksums.
@Suite struct FuzzFindingTests {
    /// A hole that ends at 2^60, the last valid offset: records after it, in a separate segment,
    /// were taken for damage at the next start.
    private static let holeToTheLastOffset = """
        UFVMU0VMT0cBAEAAAQAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEACI/WcTRAYAAAAAAIYwV55P/rkU
        Gj+Iv1BVTFNFTE9HAQBAAAEAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAiP1nE0QGAAAAAACGMFee
        T/65FBo/iL8L2CfPFAAA8QEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBwAAACx92NsD
        AADlAb4AAAAAAAAAAAAAiAiYE0QGAAECA7Vv3o0UAAAG/QAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB
        AAAAAAAAAAgHAAAAs9la6QMAAOUCAAAAAAAAAAAAAACI/WcTRAYAAQIDMT+NSwoAAAMBAAAAAAAAAAAA
        AAAAAAAAAAAAAAAAAAAAAAAAACFNOP8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAKqt+CIAAAAAAAAAAAAA
        AACI/WcTRAYAAAAAAAAAAAAAABNygoAKAADhAgBQVUxTRUxPRwEAQAABAAAAAQAAAAAAAAAAAAAAAAAA
        AAAAAAAAAAAAAIj9ZxNEBgAAAAAA6oQFvcWo0+B7GVTfUFVMU0VMT0cBAEAAAQAAAAEAAAAAAAAAAAAA
        AAAAAAAAAAAAAAAAAACI/WcTRAYAAAAAAOqEBb3FqNPgexlU32mo39cUAADxAQAAAAAAAAAAAAAAAAAA
        AAAAAAAAAAAAAAAAAAAAAAAAAAgAAAAAAAABAAAAAIj9ZxNEBgABAQEBAQEBAQEBBE7N7woAAOIBAAAA
        AAAAAgAAAACI/WcTRAYAAgICAgICAgICAuGPSQEKAADjAgAAAAAAAAMAAAAAiP1nE0QGAAMDAwIDAwMD
        AwNTWHQKCgAA5AEAAAAAAAAAAAAAAAAAAAAABwAABAAAAAA=
        """

    @Test func `A log whose offsets are used up is refused, and refused again`() throws {
        let bytes = try #require(
            Data(
                base64Encoded: Self.holeToTheLastOffset, options: .ignoreUnknownCharacters))
        let folder = NSTemporaryDirectory() + "log-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let file = URL(filePath: folder).appending(path: SegmentFormat.fileName(of: 1))
        try bytes.write(to: file)
        let disk = PosixDisk(path: folder)
        for _ in 0..<2 {
            #expect {
                try SegmentLog.open(
                    disk: disk, configuration: LogConfiguration(), now: LogFixture.start)
            } throws: { error in
                guard case .offsetsUsedUp = error as? SegmentLogError else { return false }
                return "\(error)".contains("backup")
            }
        }
    }

    /// Sessions are numbered from 1; the introduction of number 0 crashed the reader.
    @Test func `A session of number 0 is damage`() throws {
        var fixture = try LogFixture()
        fixture.head()
        for _ in 0..<5 { fixture.append() }
        fixture.log.syncAppended()
        let disk = fixture.disk.killed()
        let name = SegmentFormat.fileName(of: 1)
        disk.replace(name, with: try Self.withoutNumbers(disk.content(of: name)))
        let verified = try LogReader(disk: disk).verify()
        #expect(verified.records == 0)
        #expect(!verified.damaged.isEmpty || verified.tornTail != nil)
        let again = try LogFixture(disk: disk)
        #expect(try again.contents().records.isEmpty)
    }

    /// Sets the session of every record to 0 and corrects the checksums.
    private static func withoutNumbers(_ segment: [UInt8]) throws -> [UInt8] {
        guard case .header(let header) = SegmentHeader.decode(segment.span) else {
            throw CancellationError()
        }
        var bytes = segment
        var position = SegmentFormat.recordsStart
        while position + SegmentFormat.recordHeaderBytes <= bytes.count {
            let size = (0..<3).reduce(0) { $0 | Int(bytes[position + 4 + $1]) << (8 * $1) }
            let end = position + SegmentFormat.recordHeaderBytes + size
            guard end <= bytes.count else { break }
            bytes[position + 8] = 0
            bytes[position + 9] = 0
            var checksum = header.seed
            checksum.feed(UInt64(position))
            checksum.feed(bytes.span.extracting((position + 4)..<end))
            for index in 0..<4 {
                bytes[position + index] = UInt8(
                    truncatingIfNeeded: checksum.final >> (8 * UInt32(index)))
            }
            position = end
        }
        return bytes
    }
}
