import SensorModel
import Testing
import WireFormat

@Suite struct FrameSplitterTests {
    private static let lineFeed: UInt8 = 10

    private static func pieces(
        _ stream: [UInt8], chunk: (Int) -> Int
    ) throws -> (frames: [[UInt8]], form: FrameSplitter.Form?) {
        var splitter = FrameSplitter()
        var frames: [[UInt8]] = []
        var position = 0
        while position < stream.count {
            let count = min(max(chunk(position), 1), stream.count - position)
            try splitter.split(stream.span.extracting(position..<(position + count))) { _, frame in
                frames.append(frame.indices.map { frame[$0] })
                return true
            }
            position += count
        }
        return (frames, splitter.form)
    }

    private static func binaryFrames(_ count: Int) throws -> [[UInt8]] {
        var random = SplitMix(state: 5)
        return try (0..<count).map { index in
            var bytes: [UInt8] = []
            BinaryFrame.encode(
                Frame(
                    sequence: FrameSequence(rawValue: UInt32(index)),
                    deviceTime: BinaryFrameTests.time,
                    payload: try FrameSamples.payload(&random)), to: &bytes)
            return bytes
        }
    }

    private static let lines: [[UInt8]] = [
        "{\"type\":\"hello\"}", "x", "[1,2]", "{\"timestamp\":1.5}\r", "last line, a long one",
    ].map { Array($0.utf8) }

    @Test(arguments: [1, 2, 3, 5, 7, 15, 16, 17, 100, 1000, 100_000])
    func `Binary frames come whole however the stream is cut`(size: Int) throws {
        let frames = try Self.binaryFrames(30)
        let stream = BinaryFrame.preamble + frames.flatMap { $0 }
        let found = try Self.pieces(stream) { _ in size }
        #expect(found.frames == frames)
        #expect(found.form == .binary)
    }

    @Test(arguments: [1, 2, 3, 5, 8, 9, 100, 1000])
    func `Lines come whole however the stream is cut`(size: Int) throws {
        let stream = Self.lines.flatMap { $0 + [Self.lineFeed] }
        let found = try Self.pieces(stream) { _ in size }
        #expect(found.frames == Self.lines)
        #expect(found.form == .text)
    }

    @Test(arguments: [
        ("{}\n{\"a\":1}", true), ("[{},{}]", true), ("{\"a\":1", false), ("{}\n", false),
        ("", false),
        ("PLS", false), ("PLS1}", false), ("P}", true),
    ]) func `What looks whole but for its line feed is told from what was cut off`(
        stream: String, whole: Bool
    ) throws {
        var splitter = FrameSplitter()
        try splitter.split(Array(stream.utf8).span) { _, _ in true }
        #expect(splitter.endsInWholeText == whole)
    }

    @Test func `Every cut into two chunks gives the same`() throws {
        let frames = try Self.binaryFrames(3)
        let binary = BinaryFrame.preamble + frames.flatMap { $0 }
        let text = Self.lines.flatMap { $0 + [Self.lineFeed] }
        for cut in 1..<binary.count {
            #expect(try Self.pieces(binary) { $0 == 0 ? cut : .max }.frames == frames)
        }
        for cut in 1..<text.count {
            #expect(try Self.pieces(text) { $0 == 0 ? cut : .max }.frames == Self.lines)
        }
    }

    @Test func `Text that begins like the preamble is text`() throws {
        let stream = Array("PLS2 is\nno preamble\nPL\n".utf8)
        #expect(
            try Self.pieces(stream) { _ in 1 }.frames
                == ["PLS2 is", "no preamble", "PL"].map { Array($0.utf8) })
    }

    @Test(arguments: 1...60)
    func `A frame that finds no room is offered again, and none is lost`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let binary = try Self.binaryFrames(25)
        let isBinary = seed % 2 == 0
        let frames = isBinary ? binary : Array(repeating: Self.lines, count: 6).flatMap { $0 }
        let stream =
            isBinary
            ? BinaryFrame.preamble + frames.flatMap { $0 } : frames.flatMap { $0 + [Self.lineFeed] }
        var splitter = FrameSplitter()
        var found: [[UInt8]] = []
        var position = 0
        while position < stream.count || splitter.pendingBytes > 0 {
            let count = min(Int.random(in: 0...300, using: &random), stream.count - position)
            var room = Int.random(in: 0...4, using: &random)
            try splitter.split(stream.span.extracting(position..<(position + count))) { _, frame in
                guard room > 0 else { return false }
                room -= 1
                found.append(frame.indices.map { frame[$0] })
                return true
            }
            position += count
        }
        #expect(found == frames)
    }

    @Test func `A line may have 64 KiB and no more, however it comes`() throws {
        let longest = [UInt8](repeating: 65, count: Limits.textLineBytesMax)
        for size in [1000, 1_000_000] {
            #expect(try Self.pieces(longest + [Self.lineFeed]) { _ in size }.frames == [longest])
            #expect(throws: FrameRefusal.lineTooLong) {
                try Self.pieces(longest + [65, Self.lineFeed]) { _ in size }
            }
            #expect(throws: FrameRefusal.lineTooLong) {
                try Self.pieces(longest + [65]) { _ in size }
            }
        }
    }

    @Test func `A length that cannot be ends the stream`() throws {
        let frame = try Self.binaryFrames(1)[0]
        for size in [1, 1000] {
            var count = 0
            var splitter = FrameSplitter()
            let stream = BinaryFrame.preamble + frame + [3, 0, 1]
            #expect(throws: FrameRefusal.lengthOutOfRange(bytes: 3)) {
                var position = 0
                while position < stream.count {
                    let end = min(position + size, stream.count)
                    try splitter.split(stream.span.extracting(position..<end)) { _, _ in
                        count += 1
                        return true
                    }
                    position = end
                }
            }
            #expect(count == 1)
        }
    }
}
