import FaultyDisk
import Foundation
import SensorModel
import Synchronization
import Testing

@testable import SegmentLog

/// A sealed segment of which a session is a small part, so that it is erased in place.
struct ErasureFixture {
    static let erased = SessionID(high: 0xDEAD_BEEF_0BAD_CAFE, low: 0x8EAD_1234_5678_9ABC)
    static let planted = Array("only this runner's heart beat like this".utf8)
    static let name = SegmentFormat.fileName(of: 1)
    static let configuration = LogFixture.configuration(segmentBytesMax: 1 << 20)

    var fixture: LogFixture

    /// Records `others` records of one session, with one to be erased after every `every` records.
    init(others: Int = 400, every: Int = 9) throws {
        fixture = try LogFixture(configuration: Self.configuration)
        fixture.head()
        fixture.head(Self.erased, payload: Self.planted)
        for count in 0..<others {
            fixture.append(count % 50 == 49 ? .snapshot : .frame(.motion))
            if count % every == 0 { fixture.append(of: Self.erased, payload: Self.planted) }
        }
        fixture.log.close()
        try fixture.restart(on: fixture.disk.killed(), Self.configuration)
        try fixture.log.saveCatalog()
    }

    var others: [LogFixture.Written] { Self.others(in: fixture) }

    static func others(in fixture: LogFixture) -> [LogFixture.Written] {
        fixture.inOrder.filter { $0.header.session != erased }
    }

    /// Whether a file on the disk contains the erased session's payload or ID.
    static func isReadable(on disk: SimulatedDisk) -> Bool {
        let uuid = (0..<16).map { index in
            UInt8(
                truncatingIfNeeded: (index < 8 ? erased.high : erased.low) >> (8 * (7 - index % 8)))
        }
        let wanted = [Data(planted), Data(uuid)]
        return disk.state.withLock { state in
            state.names.values.contains { number in
                guard let inode = state.inodes[number] else { return false }
                return [Data(inode.current), Data(inode.synced)].contains { bytes in
                    wanted.contains { bytes.range(of: $0) != nil }
                }
            }
        }
    }

    /// Checks that a log and a reader in another process show all other records and nothing erased.
    static func checkErased(
        _ fixture: LogFixture, _ log: SegmentLog, on disk: SimulatedDisk,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for reader in [log.reader(), try LogReader(disk: disk)] {
            let read = try fixture.contents(of: reader)
            #expect(read.records == others(in: fixture), sourceLocation: sourceLocation)
            #expect(read.gaps.allSatisfy { $0.reason == .deleted }, sourceLocation: sourceLocation)
            #expect(reader.summary(of: erased) == nil, sourceLocation: sourceLocation)
            #expect(try reader.verify().damaged.isEmpty, sourceLocation: sourceLocation)
        }
    }
}
