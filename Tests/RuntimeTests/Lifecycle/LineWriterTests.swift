import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Runtime

/// Log output to a reader that does not read.
@Suite struct LineWriterTests {
    private static func line(_ number: Int) -> [UInt8] {
        Array("line \(number) \(String(repeating: "x", count: 90))\n".utf8)
    }

    @Test func `Who logs to a full pipe does not wait, and what was dropped is counted`() throws {
        let pipe = Pipe()
        let writer = LineWriter(
            descriptor: pipe.fileHandleForWriting.fileDescriptor, bytesMax: 10_000)
        // A pipe holds 64 KiB; the rest of these lines would block the writing thread.
        for number in 0..<5000 { writer.append(Self.line(number)) }
        #expect(writer.dropped > 0)
        let text = Mutex("")
        let reading = DispatchQueue(label: "reader")
        let reader = pipe.fileHandleForReading
        reading.async {
            while case let data = reader.availableData, !data.isEmpty {
                text.withLock { $0 += String(decoding: data, as: UTF8.self) }
            }
        }
        writer.flush(within: .seconds(20))
        let dropped = writer.dropped
        writer.append(Self.line(5000))
        writer.flush(within: .seconds(20))
        try pipe.fileHandleForWriting.close()
        reading.sync {}
        let lines = text.withLock { $0 }.split(separator: "\n")
        #expect(lines.last?.hasPrefix("line 5000 ") == true)
        #expect(lines.contains("warning: \(dropped) log line(s) were dropped, nobody read them"))
        let numbers = lines.filter { $0.hasPrefix("line ") }
            .compactMap { Int($0.split(separator: " ")[1]) }
        #expect(numbers == numbers.sorted() && numbers.first == 0)
    }
}
