import Bytes
import SensorModel
import Testing

@testable import Recordings

@Suite struct MCAPTests {
    private struct Record {
        var opcode: UInt8
        var start: Int
        var body: ArraySlice<UInt8>
    }

    private static let magic: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]

    private func number(_ bytes: ArraySlice<UInt8>, _ place: Int, _ size: Int) -> Int {
        (0..<size).reduce(0) { $0 | Int(bytes[bytes.startIndex + place + $1]) << (8 * $1) }
    }

    private func records(_ bytes: ArraySlice<UInt8>) -> [Record] {
        var records: [Record] = []
        var index = bytes.startIndex
        while index + 9 <= bytes.endIndex {
            let length = number(bytes[(index + 1)...], 0, 8)
            records.append(
                Record(
                    opcode: bytes[index], start: index,
                    body: bytes[index + 9..<index + 9 + length]))
            index += 9 + length
        }
        return records
    }

    @Test func `Chunks, indexes and summary agree with each other`() throws {
        let run = try SampleRun(seconds: 400)
        let bytes = run.export(.mcap)
        #expect(bytes.starts(with: Self.magic) && bytes.suffix(8).elementsEqual(Self.magic))
        let records = records(bytes[8..<bytes.count - 8])
        #expect(records.first?.opcode == 0x01)
        let footer = try #require(records.last)
        #expect(footer.opcode == 0x02)
        let summaryStart = number(footer.body, 0, 8)
        let checked = bytes[summaryStart..<footer.start + 9 + 16]
        #expect(Int(CRC32.value(of: checked)) == number(footer.body, 16, 4))
        let dataEnd = try #require(records.first { $0.opcode == 0x0F })
        #expect(Int(CRC32.value(of: bytes[..<dataEnd.start])) == number(dataEnd.body, 0, 4))

        var messages = 0
        var chunks = 0
        for record in records where record.opcode == 0x06 {
            chunks += 1
            let content = record.body.dropFirst(40)
            #expect(number(record.body, 16, 8) == content.count)
            #expect(Int(CRC32.value(of: content)) == number(record.body, 24, 4))
            messages += self.records(content).count { $0.opcode == 0x05 }
        }
        let statistics = try #require(records.first { $0.opcode == 0x0B })
        #expect(number(statistics.body, 0, 8) == messages)
        #expect(chunks > 1 && number(statistics.body, 22, 4) == chunks)
        let indexed = records.filter { $0.opcode == 0x07 }.reduce(0) {
            $0 + number($1.body, 2, 4) / 16
        }
        #expect(indexed == messages)
        #expect(messages == run.frames.count + run.session.points.count + 2)
        #expect(records.count { $0.opcode == 0x08 } == chunks)
    }

    @Test func `Both clocks and Foxglove's fix are in a message`() throws {
        var run = try SampleRun(seconds: 0)
        run.session.points = []
        run.session.pauses = []
        run.session.laps = []
        run.frames = [run.frames[1]]
        let bytes = run.export(.mcap)
        let chunk = try #require(
            records(bytes[8..<bytes.count - 8]).first { $0.opcode == 0x06 })
        let message = try #require(
            records(chunk.body.dropFirst(40)).first { $0.opcode == 0x05 })
        #expect(number(message.body, 6, 8) == 1_763_700_000_250_000_000)
        #expect(number(message.body, 14, 8) == 1_763_700_000_000_000_000)
        let value = try JSONValue(parsing: Array(message.body.dropFirst(22)))
        #expect(value["timestamp"]?["sec"]?.int64 == 1_763_700_000)
        #expect(value["timestamp"]?["nsec"]?.int64 == 0)
        #expect(value["latitude"]?.double == 48.1)
        #expect(
            value["position_covariance"]?.array?.compactMap(\.double)
                == [20.25, 0, 0, 0, 20.25, 0, 0, 0, 20.25])
        #expect(value["position_covariance_type"]?.int64 == 1)
    }

    @Test func `A session without anything is still a whole file`() {
        let session = RecordedSession(
            id: SessionID(high: 1, low: 1), device: "d", start: SampleRun.start,
            end: SampleRun.start)
        for format in ExportFormat.allCases {
            var export = SessionExport(format: format, session: session)
            export.finish()
            #expect(!export.takeBytes().isEmpty)
        }
    }
}
