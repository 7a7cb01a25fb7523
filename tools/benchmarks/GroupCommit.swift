import Glibc
import Peers
import SegmentLog
import SensorModel
import Synchronization

/// The log on a real disk, against a bare loop in C that makes the same writes and syncs.
enum GroupCommit {
    private static let records = 1_000_000
    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)
    private static let session = SessionID(high: 1, low: 2)
    private static let device = DeviceID(rawValue: 1)

    /// - Parameter folder: On the disk to be measured.
    /// - Returns: A contest a size of payload.
    static func contests(in folder: String) -> [Contest] {
        [100, 128].map { payloadBytes in
            let trace = Trace()
            return Contest(
                name: "log append, group commit, \(payloadBytes)-byte payloads",
                unit: "M records/s",
                contenders: [
                    .init(
                        name: "pulsecast",
                        run: { ours(payloadBytes: payloadBytes, in: folder, trace) }),
                    .init(name: "bare C loop, same calls", run: { bare(trace, in: folder) }),
                ], bar: .atLeast(0.8))
        }
    }

    private static func ours(payloadBytes: Int, in folder: String, _ trace: Trace) -> Double? {
        ScratchFolder.with("log", in: folder) { path in
            ours(payloadBytes: payloadBytes, at: path, trace)
        }
    }

    private static func ours(payloadBytes: Int, at path: String, _ trace: Trace) -> Double? {
        trace.calls.withLock { $0.removeAll(keepingCapacity: true) }
        guard
            let log = try? SegmentLog.open(
                disk: TracedDisk(disk: PosixDisk(path: path), trace: trace),
                configuration: LogConfiguration(), now: start),
            (try? log.start()) != nil
        else { return nil }
        let payload = [UInt8](repeating: 7, count: payloadBytes)
        _ = log.appendSession(
            session, device: device, deviceTime: start, arrivalTime: start,
            payload: payload.span)
        let began = peers_wall_seconds()
        for number in 1...records {
            let time = start.advanced(byMicroseconds: Int64(number) * 10)
            while log.append(
                .frame(.marker), session: session, device: device,
                sequence: FrameSequence(rawValue: UInt32(number)), deviceTime: time,
                arrivalTime: time, payload: payload.span) == nil
            {
                usleep(50)
            }
            if number % 256 == 0 { log.flush() }
        }
        log.flush()
        while log.durableEnd.rawValue < UInt64(records) { usleep(50) }
        let seconds = peers_wall_seconds() - began
        log.close()
        return Double(records) / seconds / 1e6
    }

    private static func bare(_ trace: Trace, in folder: String) -> Double? {
        let calls = trace.calls.withLock { $0 }
        let seconds = unsafe calls.withUnsafeBufferPointer { calls in
            unsafe peers_write_and_sync(
                folder + "/bare", calls.baseAddress, UInt64(calls.count))
        }
        return seconds > 0 ? Double(records) / seconds / 1e6 : nil
    }

    /// What the log asked of the disk: bytes written, 0 for a sync, less than 0 for space taken.
    final class Trace: Sendable {
        let calls = Mutex<[Int64]>([])

        func add(_ call: Int64) { calls.withLock { $0.append(call) } }
    }

    /// Notes each call and lets it through.
    struct TracedDisk: Disk {
        let disk: PosixDisk
        let trace: Trace

        func list() throws(DiskError) -> [String] { try disk.list() }
        func open(_ name: String, _ access: DiskAccess) throws(DiskError) -> any DiskFile {
            TracedFile(file: try disk.open(name, access), trace: trace)
        }
        func rename(_ name: String, to target: String) throws(DiskError) {
            try disk.rename(name, to: target)
        }
        func remove(_ name: String) throws(DiskError) { try disk.remove(name) }
        func synchronizeNames() throws(DiskError) { try disk.synchronizeNames() }
        func lock(_ name: String) throws(DiskError) -> any DiskFile { try disk.lock(name) }
    }

    final class TracedFile: DiskFile {
        private let file: any DiskFile
        private let trace: Trace

        init(file: any DiskFile, trace: Trace) {
            self.file = file
            self.trace = trace
        }

        func write(_ bytes: Span<UInt8>, at position: Int) throws(DiskError) -> Int {
            trace.add(Int64(bytes.count))
            return try file.write(bytes, at: position)
        }
        func read(
            into bytes: inout [UInt8], from start: Int, at position: Int
        ) throws(DiskError) -> Int {
            try file.read(into: &bytes, from: start, at: position)
        }
        func synchronize() throws(DiskError) {
            trace.add(0)
            try file.synchronize()
        }
        func truncate(to bytes: Int) throws(DiskError) { try file.truncate(to: bytes) }
        func preallocate(_ bytes: Int) throws(DiskError) {
            trace.add(Int64(-bytes))
            try file.preallocate(bytes)
        }
        func size() throws(DiskError) -> Int { try file.size() }
    }
}
