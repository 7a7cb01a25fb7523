import SensorModel
import WireFormat

/// Lines of a device: each accepted frame is also valid in the binary format.
enum TextTarget {
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let stream = Array(bytes.dropFirst())
        let whole = BinaryTarget.frames(in: stream, chunkBytes: max(1, stream.count))
        let cut = BinaryTarget.frames(in: stream, chunkBytes: Int(first) % 61 + 1)
        precondition(whole == cut, "lines depend on how the network cut them")
        var decoder = TextDecoder()
        for line in whole { read(line, with: &decoder) }
        _ = try? TextDecoder.hello(in: stream.span)
    }

    private static func read(_ line: [UInt8], with decoder: inout TextDecoder) {
        var payload: [UInt8] = []
        decoder.begin()
        // Each iteration consumes a byte at least, or returns the delayed heart rate.
        for _ in 0...(2 * line.count + 2) {
            do throws(RefusedFrame) {
                guard
                    let frame = try decoder.next(
                        in: line.span, payload: &payload, arrivalTime: BinaryTarget.arrival,
                        recorded: false)
                else { return }
                if case .frame(let header, _) = frame { check(header, payload) }
            } catch { continue }
        }
        preconditionFailure("a line has no end")
    }

    private static func check(_ header: FrameHeader, _ payload: [UInt8]) {
        do {
            try FrameValidation.check(
                header, payload: payload.span, arrivalTime: BinaryTarget.arrival, recorded: false)
        } catch { preconditionFailure("the text door lets in what the binary one refuses") }
        BinaryTarget.check(header, payload.span)
    }

    static let seeds: [[UInt8]] = [
        #"{"type":"hello","token":"pc_a","session":"9b2f7c1e-5d0a-4c53-9a51-0d5f3c1e8a77"}"#,
        #"{"type":"hello","proof":"00","device":"w","sentAt":1763700000.1,"session":"#
            + #""9b2f7c1e-5d0a-4c53-9a51-0d5f3c1e8a77","recorded":true}"#,
        #"{"seq":1,"type":"heartRate","heartRate":141,"source":"strap","timestamp":1763700000}"#,
        #"{"seq":2,"type":"location","latitude":48.1,"longitude":11.5,"altitude":512,"#
            + #""horizontalAccuracy":4,"speed":3.1,"course":270,"timestamp":1763700000}"#,
        #"{"seq":3,"accelerometerX":0.1,"accelerometerY":-0.4,"accelerometerZ":0.2,"#
            + #""gyroscopeX":0.3,"gyroscopeY":0,"gyroscopeZ":-2.1,"timestamp":1763700000.05}"#,
        #"{"seq":4,"type":"measured","cadence":172.4,"power":251,"source":"pod","#
            + #""placement":"foot","timestamp":1763700000}"#,
        #"[{"type":"marker","text":"a\u00e4\ud83d\ude00","timestamp":1.7637e9},{"seq":4}]"#,
    ].map { [3] + Array("\($0)\n".utf8) }
}
