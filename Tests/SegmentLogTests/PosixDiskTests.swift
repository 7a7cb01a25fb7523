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
                    .frame(.motion), session: LogFixture.runner,
                    sequence: FrameSequence(rawValue: UInt32(index)), deviceTime: time,
                    arrivalTime: time, payload: LogFixture.payload(UInt32(index)).span)
            #expect(offset != nil)
            if index % 50 == 0 { log.flush() }
        }
        log.settle()
    }

    @Test func `Real files hold what was appended, for their owner only`() throws {
        try inFolder { path in
            let configuration = LogConfiguration(segmentBytesMax: 100_000, reserveBytes: 4096)
            let log = try SegmentLog.open(
                disk: PosixDisk(path: path), configuration: configuration, now: LogFixture.start)
            try log.start()
            append(3000, to: log)
            #expect(log.durableEnd == RecordOffset(rawValue: 3000))
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
}
