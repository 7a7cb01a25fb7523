import Bytes
import SensorModel

/// Writes an MCAP file: uncompressed chunks with their message indexes, and a summary for random
/// access.
///
///     magic  Header  { Chunk  MessageIndex… }…  DataEnd
///            Schema…  Channel…  Statistics  ChunkIndex…  SummaryOffset…  Footer  magic
struct MCAPWriter {
    struct Channel {
        var topic: String
        var schemaName: String
        var schema: String
    }

    private enum Opcode: UInt8 {
        case header = 0x01
        case footer = 0x02
        case schema = 0x03
        case channel = 0x04
        case message = 0x05
        case chunk = 0x06
        case messageIndex = 0x07
        case chunkIndex = 0x08
        case statistics = 0x0B
        case summaryOffset = 0x0E
        case dataEnd = 0x0F
    }

    private struct ChunkIndex {
        var startTime: UInt64
        var endTime: UInt64
        var byte: UInt64
        var bytes: UInt64
        var indexBytes: [(channel: UInt16, byte: UInt64)]
        var indexLength: UInt64
        var size: UInt64
    }

    private static let magic: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]
    private static let chunkBytes = 1 << 18

    private let channels: [Channel]
    private var pending: [UInt8] = []
    private var check = CRC32()
    private var written: UInt64 = 0

    private var chunk = LittleEndianBytes()
    private var chunkTimes: (first: UInt64, last: UInt64)?
    private var chunkMessages: [[(time: UInt64, byte: UInt64)]]
    private var chunkIndexes: [ChunkIndex] = []
    private var sequences: [UInt32]
    private var times: (first: UInt64, last: UInt64)?
    private var schemasWritten = false

    init(channels: [Channel]) {
        self.channels = channels
        chunkMessages = Array(repeating: [], count: channels.count)
        sequences = Array(repeating: 0, count: channels.count)
        emit(Self.magic)
        var header = LittleEndianBytes()
        header.add("")
        header.add("pulsecast")
        emit(.header, header)
    }

    /// - Parameters:
    ///   - channel: Index into the channels.
    ///   - logTime: Arrival time at the daemon.
    ///   - publishTime: Time of the device's clock.
    ///   - data: One message as JSON text.
    mutating func append(
        channel: Int, logTime: Timestamp, publishTime: Timestamp, data: [UInt8]
    ) {
        if !schemasWritten {
            schemasWritten = true
            for index in channels.indices {
                chunk.add(record(.schema, schema(index)))
                chunk.add(record(.channel, self.channel(index)))
            }
        }
        let log = UInt64(max(logTime.microseconds, 0)) * 1000
        chunkMessages[channel].append((log, UInt64(chunk.bytes.count)))
        var message = LittleEndianBytes()
        message.add(UInt16(channel + 1))
        message.add(sequences[channel])
        message.add(log)
        message.add(UInt64(max(publishTime.microseconds, 0)) * 1000)
        message.add(data)
        chunk.add(record(.message, message))
        sequences[channel] &+= 1
        chunkTimes = Self.widened(chunkTimes, by: log)
        times = Self.widened(times, by: log)
        if chunk.bytes.count >= Self.chunkBytes { closeChunk() }
    }

    mutating func finish() {
        closeChunk()
        var end = LittleEndianBytes()
        end.add(check.value)
        emit(.dataEnd, end)
        writeSummary()
        emit(Self.magic)
    }

    mutating func takeBytes() -> [UInt8] {
        let taken = pending
        pending = []
        return taken
    }

    private static func widened(
        _ range: (first: UInt64, last: UInt64)?, by time: UInt64
    ) -> (first: UInt64, last: UInt64) {
        guard let range else { return (time, time) }
        return (min(range.first, time), max(range.last, time))
    }

    private mutating func closeChunk() {
        guard let chunkTimes, !chunk.bytes.isEmpty else { return }
        var body = LittleEndianBytes()
        body.add(chunkTimes.first)
        body.add(chunkTimes.last)
        body.add(UInt64(chunk.bytes.count))
        body.add(CRC32.value(of: chunk.bytes))
        body.add("")
        body.add(UInt64(chunk.bytes.count))
        body.add(chunk.bytes)
        let start = written
        emit(.chunk, body)
        var index = ChunkIndex(
            startTime: chunkTimes.first, endTime: chunkTimes.last, byte: start,
            bytes: written - start, indexBytes: [], indexLength: 0,
            size: UInt64(chunk.bytes.count))
        let indexStart = written
        for channel in channels.indices where !chunkMessages[channel].isEmpty {
            index.indexBytes.append((UInt16(channel + 1), written))
            var record = LittleEndianBytes()
            record.add(UInt16(channel + 1))
            record.add(UInt32(chunkMessages[channel].count * 16))
            for entry in chunkMessages[channel].sorted(by: { $0.time < $1.time }) {
                record.add(entry.time)
                record.add(entry.byte)
            }
            emit(.messageIndex, record)
            chunkMessages[channel] = []
        }
        index.indexLength = written - indexStart
        chunkIndexes.append(index)
        chunk = LittleEndianBytes()
        self.chunkTimes = nil
    }

    private mutating func writeSummary() {
        let summaryStart = written
        check = CRC32()
        var groups: [(Opcode, UInt64, UInt64)] = []
        func group(_ opcode: Opcode, _ writer: inout MCAPWriter, _ bodies: [LittleEndianBytes]) {
            let start = writer.written
            for body in bodies { writer.emit(opcode, body) }
            guard writer.written > start else { return }
            groups.append((opcode, start, writer.written - start))
        }
        if schemasWritten {
            group(.schema, &self, channels.indices.map { schema($0) })
            group(.channel, &self, channels.indices.map { channel($0) })
        }
        group(.statistics, &self, [statistics()])
        group(.chunkIndex, &self, chunkIndexes.map { Self.body(of: $0) })
        let offsetsStart = written
        for (opcode, start, length) in groups {
            var body = LittleEndianBytes()
            body.add(opcode.rawValue)
            body.add(start)
            body.add(length)
            emit(.summaryOffset, body)
        }
        var footer = LittleEndianBytes()
        footer.add(Opcode.footer.rawValue)
        footer.add(UInt64(20))
        footer.add(summaryStart)
        footer.add(offsetsStart)
        // The checksum covers the footer up to here.
        check.add(footer.bytes)
        footer.add(check.value)
        emit(footer.bytes)
    }
}

extension MCAPWriter {
    private func schema(_ index: Int) -> LittleEndianBytes {
        var body = LittleEndianBytes()
        body.add(UInt16(index + 1))
        body.add(channels[index].schemaName)
        body.add("jsonschema")
        let text = Array(channels[index].schema.utf8)
        body.add(UInt32(text.count))
        body.add(text)
        return body
    }

    private func channel(_ index: Int) -> LittleEndianBytes {
        var body = LittleEndianBytes()
        body.add(UInt16(index + 1))
        body.add(UInt16(index + 1))
        body.add(channels[index].topic)
        body.add("json")
        body.add(UInt32(0))
        return body
    }

    private func statistics() -> LittleEndianBytes {
        var body = LittleEndianBytes()
        body.add(UInt64(sequences.reduce(0) { $0 + UInt64($1) }))
        let count = schemasWritten ? channels.count : 0
        body.add(UInt16(count))
        body.add(UInt32(count))
        body.add(UInt32(0))
        body.add(UInt32(0))
        body.add(UInt32(chunkIndexes.count))
        body.add(times?.first ?? 0)
        body.add(times?.last ?? 0)
        body.add(UInt32(count * 10))
        for index in 0..<count {
            body.add(UInt16(index + 1))
            body.add(UInt64(sequences[index]))
        }
        return body
    }

    private static func body(of index: ChunkIndex) -> LittleEndianBytes {
        var body = LittleEndianBytes()
        body.add(index.startTime)
        body.add(index.endTime)
        body.add(index.byte)
        body.add(index.bytes)
        body.add(UInt32(index.indexBytes.count * 10))
        for (channel, byte) in index.indexBytes {
            body.add(channel)
            body.add(byte)
        }
        body.add(index.indexLength)
        body.add("")
        body.add(index.size)
        body.add(index.size)
        return body
    }

    private func record(_ opcode: Opcode, _ body: LittleEndianBytes) -> [UInt8] {
        var record = LittleEndianBytes()
        record.add(opcode.rawValue)
        record.add(UInt64(body.bytes.count))
        record.add(body.bytes)
        return record.bytes
    }

    private mutating func emit(_ opcode: Opcode, _ body: LittleEndianBytes) {
        emit(record(opcode, body))
    }

    private mutating func emit(_ bytes: [UInt8]) {
        pending += bytes
        written += UInt64(bytes.count)
        check.add(bytes)
    }
}

/// Builds bytes of a little-endian format.
struct LittleEndianBytes {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ value: some FixedWidthInteger & UnsignedInteger) {
        bytes.appendLittleEndian(value)
    }

    mutating func add(_ more: [UInt8]) {
        bytes += more
    }

    /// Adds a text, preceded by its length in 32 bits.
    mutating func add(_ text: String) {
        add(UInt32(text.utf8.count))
        bytes += Array(text.utf8)
    }
}
