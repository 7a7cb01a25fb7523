import Dispatch
import Peers
import SegmentLog
import SensorModel

/// From the flush of a group of records until they may be acknowledged, against a bare write and
/// sync of as many bytes.
enum CommitLatency {
    private static let commits = 500
    private static let records = 256
    private static let payloadBytes = 128
    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)
    private static let session = SessionID(high: 1, low: 2)
    private static let device = DeviceID(rawValue: 1)

    /// - Parameter folder: On the disk to be measured.
    /// - Returns: One contest.
    static func contests(in folder: String) -> [Contest] {
        [
            Contest(
                name: "commit of \(records) records of \(payloadBytes) bytes, p99", unit: "ms",
                contenders: [
                    .init(name: "pulsecast", run: { ours(in: folder) }),
                    .init(name: "bare write and sync", run: { bare(in: folder) }),
                ], bar: .atMostTimes(1.67))
        ]
    }

    private static func ours(in folder: String) -> Double? {
        ScratchFolder.with("commits", in: folder) { path in
            let durable = DispatchSemaphore(value: 0)
            guard
                let log = try? SegmentLog.open(
                    disk: PosixDisk(path: path), configuration: LogConfiguration(), now: start,
                    observer: LogObserver(durableAdvanced: { _ in durable.signal() })),
                (try? log.start()) != nil
            else { return nil }
            defer { log.close() }
            let payload = [UInt8](repeating: 7, count: payloadBytes)
            _ = log.appendSession(
                session, device: device, deviceTime: start, arrivalTime: start,
                payload: payload.span)
            var times: [Double] = []
            for commit in 0..<commits {
                for number in 1...records {
                    let sequence = UInt32(commit * records + number)
                    let time = start.advanced(byMicroseconds: Int64(sequence))
                    let offset = log.append(
                        .frame(.marker), session: session, device: device,
                        sequence: FrameSequence(rawValue: sequence), deviceTime: time,
                        arrivalTime: time, payload: payload.span)
                    guard offset != nil else { return nil }
                }
                let began = peers_wall_seconds()
                log.flush()
                while log.durableEnd < log.nextOffset { durable.wait() }
                times.append((peers_wall_seconds() - began) * 1e3)
            }
            return times.sorted()[commits * 99 / 100]
        }
    }

    private static func bare(in folder: String) -> Double? {
        // As much as the log makes of it: a head of 27 bytes a record.
        let bytes = UInt64(records * (payloadBytes + 27))
        let seconds = unsafe peers_commit_p99(folder + "/bare", bytes, UInt64(commits))
        return seconds > 0 ? seconds * 1e3 : nil
    }
}
