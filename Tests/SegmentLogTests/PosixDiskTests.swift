import FaultyDisk
import Foundation
import SegmentLog
import SensorModel
import Testing

@Suite struct PosixDiskTests {
    private func inFolder(_ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "pulsecast-log-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private func append(_ count: Int, to log: SegmentLog) {
        let time = LogFixture.start
        let head: [UInt8] = [1]
        for index in 0..<count {
            let offset =
                index == 0
                ? log.appendSession(
                    LogFixture.runner, device: LogFixture.device, deviceTime: time,
                    arrivalTime: time, payload: head.span)
                : log.append(
                    .frame(.motion), session: LogFixture.runner, device: LogFixture.device,
                    sequence: FrameSequence(rawValue: UInt32(index)), deviceTime: time,
                    arrivalTime: time, payload: LogFixture.payload(UInt32(index)).span)
            #expect(offset != nil)
            if index % 50 == 0 { log.flush() }
        }
        log.syncAppended()
    }

    @Test func `Real files hold what was appended, for their owner only`() throws {
        try inFolder { path in
            let configuration = LogConfiguration(segmentBytesMax: 100_000, reserveBytes: 4096)
            let log = try SegmentLog.open(
                disk: PosixDisk(path: path), configuration: configuration, now: LogFixture.start)
            try log.start()
            append(3000, to: log)
            // All records arrived at once, so their offsets are counted from the first.
            #expect(log.durableEnd.rawValue == LogFixture.offset(0).rawValue + 3000)
            let beside = try LogReader(disk: PosixDisk(path: path))
            #expect(try beside.verify().records == 3000)
            #expect(throws: SegmentLogError.inUse) {
                try SegmentLog.open(
                    disk: PosixDisk(path: path), configuration: configuration,
                    now: LogFixture.start)
            }
            log.close()
            for name in try FileManager.default.contentsOfDirectory(atPath: path) {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: path + "/" + name)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
            let found = try LogReader(disk: PosixDisk(path: path)).verify()
            #expect(found.records == 3000)
            #expect(found.damaged.isEmpty)
            #expect(found.tornTail == nil)
        }
    }

    @Test func `A folder that is not there is a typed error`() throws {
        #expect(throws: SegmentLogError.self) {
            try SegmentLog.open(
                disk: PosixDisk(path: "/nowhere/at/all"), configuration: LogConfiguration(),
                now: LogFixture.start)
        }
        #expect(throws: SegmentLogError.self) {
            try LogReader(disk: PosixDisk(path: "/nowhere/at/all"))
        }
    }

    @Test func `Bytes behind the end of the log are told as a torn tail, and before it as damage`()
        throws
    {
        try inFolder { path in
            let configuration = LogConfiguration(segmentBytesMax: 100_000, reserveBytes: 4096)
            let log = try SegmentLog.open(
                disk: PosixDisk(path: path), configuration: configuration, now: LogFixture.start)
            append(3000, to: log)
            log.close()
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
                .filter { $0.hasSuffix(".segment") }.sorted()
            try #require(names.count > 1)
            try add([1, 2, 3], to: path + "/" + names[names.count - 1])
            let torn = try LogReader(disk: PosixDisk(path: path)).verify()
            #expect(torn.records == 3000 && torn.damaged.isEmpty)
            #expect(torn.tornTail?.segment == names.last && (torn.tornTail?.bytes ?? 0) >= 3)
            try add([1, 2, 3], to: path + "/" + names[0])
            let damaged = try LogReader(disk: PosixDisk(path: path)).verify()
            #expect(damaged.records == 3000)
            #expect(damaged.damaged.map(\.segment) == [names[0]])
        }
    }

    private func add(_ bytes: [UInt8], to path: String) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }
}
