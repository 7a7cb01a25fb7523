import FaultyDisk
import SensorModel
import Synchronization
import Testing

@testable import SegmentLog

/// A folder is read while its daemon makes the next segment.
@Suite struct NewestSegmentTests {
    /// A disk that writes the header of a file just before an open.
    private final class FillingDisk: Disk {
        private let disk: SimulatedDisk
        private let header: SegmentHeader
        private let opening: Int
        private let openings = Atomic(0)

        init(_ disk: SimulatedDisk, writing header: SegmentHeader, beforeOpening opening: Int) {
            (self.disk, self.header, self.opening) = (disk, header, opening)
        }

        func open(_ name: String, _ access: DiskAccess) throws(DiskError) -> any DiskFile {
            if name == header.fileName,
                openings.add(1, ordering: .relaxed).newValue == opening
            {
                try disk.open(name, .write).writeAll(header.bothCopies.span, at: 0)
            }
            return try disk.open(name, access)
        }

        func list() throws(DiskError) -> [String] { try disk.list() }
        func rename(_ name: String, to target: String) throws(DiskError) {
            try disk.rename(name, to: target)
        }
        func remove(_ name: String) throws(DiskError) { try disk.remove(name) }
        func synchronizeNames() throws(DiskError) { try disk.synchronizeNames() }
        func lock(_ name: String) throws(DiskError) -> any DiskFile { try disk.lock(name) }
    }

    /// A log with records, and the header of the segment that follows.
    private static func log() throws -> (LogFixture, next: SegmentHeader) {
        var fixture = try LogFixture()
        fixture.head()
        for _ in 0..<20 { fixture.append() }
        fixture.log.syncAppended()
        let newest = try #require(fixture.log.core.withLock { $0.catalog().last?.header })
        let next = SegmentHeader(
            epoch: newest.epoch, number: newest.number + 1, previous: newest.number,
            firstOffset: fixture.log.writtenEnd.rawValue, arrivalBase: newest.arrivalBase,
            generation: 0)
        return (fixture, next)
    }

    private static func reasons(_ disk: any Disk) throws -> [LogDamage.Reason] {
        try LogReader(disk: disk).verify().damaged.map(\.reason)
    }

    /// Content of a file without a header.
    enum Content: CaseIterable {
        case zeros, zerosAndEnd, noise

        var bytes: [UInt8] {
            switch self {
            case .zeros: [UInt8](repeating: 0, count: 70_000)
            case .zerosAndEnd: [UInt8](repeating: 0, count: 70_000) + [1]
            case .noise: [UInt8](repeating: 7, count: 4096)
            }
        }
    }

    /// The reserve becomes a segment before its header is written.
    @Test(arguments: Content.allCases)
    func `A newest segment is damage only if it has content`(_ content: Content) throws {
        let (fixture, next) = try Self.log()
        let file = try fixture.disk.open(next.fileName, .create)
        try file.writeAll(content.bytes.span, at: 0)
        #expect(try Self.reasons(fixture.disk) == (content == .zeros ? [] : [.header]))
        #expect(try LogReader(disk: fixture.disk).end == fixture.log.writtenEnd)
    }

    @Test func `A newest segment that lost its header is damage`() throws {
        let (fixture, _) = try Self.log()
        let newest = try #require(fixture.log.segments().last?.name)
        let zeros = [UInt8](repeating: 0, count: SegmentFormat.recordsStart)
        try fixture.disk.open(newest, .write).writeAll(zeros.span, at: 0)
        #expect(try Self.reasons(fixture.disk) == [.header])
    }

    /// The first opening finds no header, the second looks for content, the third reads it again.
    @Test(arguments: 1...3)
    func `A header that is written meanwhile is found`(beforeOpening opening: Int) throws {
        let (fixture, next) = try Self.log()
        let file = try fixture.disk.open(next.fileName, .create)
        try file.preallocate(65_536)
        let disk = FillingDisk(fixture.disk, writing: next, beforeOpening: opening)
        let reader = try LogReader(disk: disk)
        #expect(reader.segments().count == fixture.log.segments().count + 1)
        #expect(try reader.verify().damaged.isEmpty)
    }
}
