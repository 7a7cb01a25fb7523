import FaultyDisk
import Foundation
import SensorModel
import Testing

@testable import SegmentLog

/// Segments that `tools/fuzz` made, with check sums put right.
@Suite struct FuzzFindingTests {
    /// Its hole ends at 2^60, the last offset that is believed: what was written after it in a
    /// segment of its own was taken for damage at the next start.
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
}
