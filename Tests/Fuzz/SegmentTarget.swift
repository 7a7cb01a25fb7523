import SensorModel

@testable import SegmentLog

/// A folder with one segment of arbitrary bytes: readable up to a point, and unchanged by a second
/// recovery.
enum SegmentTarget {
    private static let name = SegmentFormat.fileName(of: 1)

    /// The lowest bit of the first byte selects whether checksums are corrected first, which lets
    /// the input reach more code.
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        let segment = first & 1 == 0 ? rest : mended(rest)
        let disk = MemoryDisk([name: segment])
        if let reader = try? LogReader(disk: disk) {
            _ = try? reader.verify()
            _ = contents(of: reader)
            _ = reader.sessions().map { reader.summary(of: $0.session) }
        }
        guard let once = reopened(disk) else { return }
        guard let twice = reopened(disk) else {
            preconditionFailure("a recovered log does not open")
        }
        precondition(once == twice, "a second recovery finds something else")
    }

    private static func reopened(_ disk: MemoryDisk) -> [String]? {
        let configuration = LogConfiguration(segmentBytesMax: 1 << 20, reserveBytes: 0)
        guard
            let log = try? SegmentLog.open(
                disk: disk, configuration: configuration, now: BinaryTarget.arrival)
        else { return nil }
        let found = contents(of: log.reader())
        log.close()
        return found
    }

    private static func contents(of reader: LogReader) -> [String] {
        var found: [String] = []
        // Gaps are not compared, because each start after damage skips offsets.
        _ = try? reader.read(from: RecordOffset(rawValue: 0)) { header, payload in
            found.append("\(header.offset.rawValue) \(header.type.name) \(payload.count)")
            return found.count < 10_000
        }
        return found
    }

    /// The same bytes with correct checksums.
    static func mended(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        guard bytes.count >= SegmentFormat.recordsStart else { return bytes }
        var header = bytes
        header.replaceSubrange(0..<8, with: Array("PULSELOG".utf8))
        let fields = header.span
        let known = SegmentHeader(
            epoch: LittleEndian.load(UInt32.self, from: fields, at: 12), number: 1,
            previous: 0, firstOffset: LittleEndian.load(UInt64.self, from: fields, at: 32),
            arrivalBase: LittleEndian.load(Int64.self, from: fields, at: 40),
            generation: LittleEndian.load(UInt32.self, from: fields, at: 48))
        bytes.replaceSubrange(0..<SegmentFormat.recordsStart, with: known.bothCopies)
        var position = SegmentFormat.recordsStart
        while position + SegmentFormat.recordHeaderBytes <= bytes.count {
            let size = (0..<3).reduce(0) { $0 | Int(bytes[position + 4 + $1]) << (8 * $1) }
            let end = position + SegmentFormat.recordHeaderBytes + size
            guard end <= bytes.count else { break }
            var checksum = known.seed
            checksum.feed(UInt64(position))
            checksum.feed(bytes.span.extracting((position + 4)..<end))
            let value = checksum.final
            for index in 0..<4 {
                bytes[position + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index)))
            }
            position = end
        }
        guard bytes.count - position == SegmentFormat.trailerBytes else { return bytes }
        let value = Checksum.of(bytes.span.extracting(position..<(position + 12)))
        for index in 0..<4 {
            bytes[position + 12 + index] = UInt8(
                truncatingIfNeeded: value >> (8 * UInt32(index)))
        }
        return bytes
    }

    static var seeds: [[UInt8]] {
        [false, true].flatMap { isSealed -> [[UInt8]] in
            let disk = MemoryDisk()
            let configuration = LogConfiguration(segmentBytesMax: 1 << 20, reserveBytes: 0)
            guard
                let log = try? SegmentLog.open(
                    disk: disk, configuration: configuration, now: BinaryTarget.arrival)
            else { return [] }
            let sessions = (0..<2).map { SessionID(high: UInt64($0), low: 8) }
            for session in sessions {
                _ = log.appendSession(
                    session, device: DeviceID(rawValue: 7), deviceTime: BinaryTarget.arrival,
                    arrivalTime: BinaryTarget.arrival, payload: [1, 2, 3].span)
            }
            for index in 0..<12 {
                let types: [RecordType] = [.frame(.motion), .metric, .event, .tick, .snapshot]
                _ = log.append(
                    types[index % 5], session: sessions[index % 2], device: DeviceID(rawValue: 7),
                    sequence: FrameSequence(rawValue: UInt32(index)),
                    deviceTime: BinaryTarget.arrival, arrivalTime: BinaryTarget.arrival,
                    payload: [UInt8](repeating: UInt8(index), count: 10).span)
            }
            log.syncAppended()
            if isSealed { log.close() }
            let bytes = disk.content(of: name)
            return [[0] + bytes, [1] + bytes]
        }
    }
}
