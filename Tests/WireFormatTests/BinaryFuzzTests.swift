import SensorModel
import Testing
import WireFormat

@Suite struct BinaryFuzzTests {
    /// A valid frame decodes, and its encoding is valid again.
    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `Flipped bytes are refused or mean something, and never trap`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var frames: [[UInt8]] = []
        for _ in 0..<40 {
            var bytes: [UInt8] = []
            BinaryFrame.encode(
                Frame(
                    sequence: FrameSequence(rawValue: 1), deviceTime: BinaryFrameTests.time,
                    payload: try FrameSamples.payload(&random)), to: &bytes)
            frames.append(bytes)
        }
        var accepted = 0
        for round in 0..<5000 {
            var bytes = frames[round % frames.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                bytes.removeLast(Int.random(in: 0...min(bytes.count - 16, 9), using: &random))
            }
            // A flipped time would be refused before any other check.
            let header = try? BinaryFrame.header(of: bytes.span)
            guard var header else { continue }
            header.deviceTime = BinaryFrameTests.time
            let payload = bytes.span.extracting(16..<bytes.count)
            let isValid: Bool
            do {
                try FrameValidation.check(
                    header, payload: payload, arrivalTime: BinaryFrameTests.arrival,
                    recorded: false)
                isValid = true
            } catch { isValid = false }
            let decoded = try? FramePayload.decode(header, payload: payload)
            #expect(!isValid || decoded != nil)
            guard isValid, let decoded else { continue }
            accepted += 1
            var again: [UInt8] = []
            header.kind = FramePayload.encode(decoded.payload, to: &again)
            #expect(try FramePayload.decode(header, payload: again.span) == decoded)
        }
        #expect(accepted > 300)
    }
}
