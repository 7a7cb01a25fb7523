import SensorModel
import WireFormat

/// Bytes of a device's TCP connection, which are split into frames, validated and decoded.
enum BinaryTarget {
    static let arrival = Timestamp(microseconds: 1_763_700_000_000_000)

    /// The first byte selects how the rest is split into chunks; the frames must not depend on it.
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let stream = BinaryFrame.preamble + bytes.dropFirst()
        let whole = frames(in: stream, chunkBytes: stream.count)
        let cut = frames(in: stream, chunkBytes: Int(first) % 61 + 1)
        precondition(whole == cut, "frames depend on how the network cut them")
        for frame in whole { look(at: frame) }
    }

    static func frames(in stream: [UInt8], chunkBytes: Int) -> [[UInt8]] {
        var splitter = FrameSplitter()
        var frames: [[UInt8]] = []
        var position = 0
        while position < stream.count {
            let end = min(position + chunkBytes, stream.count)
            do {
                try splitter.split(stream.span.extracting(position..<end)) { _, frame in
                    frames.append(copy(frame))
                    return true
                }
            } catch { break }
            position = end
        }
        return frames
    }

    private static func look(at frame: [UInt8]) {
        guard let header = try? BinaryFrame.header(of: frame.span) else { return }
        let payload = frame.span.extracting(16..<frame.count)
        if header.kind == .hello { _ = try? TextDecoder.hello(in: payload) }
        check(header, payload)
    }

    /// Checks that a valid frame decodes, and decodes the same after it is encoded again.
    static func check(_ header: FrameHeader, _ payload: Span<UInt8>) {
        do {
            try FrameValidation.check(
                header, payload: payload, arrivalTime: arrival, recorded: false)
        } catch { return }
        guard let frame = try? FramePayload.decode(header, payload: payload) else {
            preconditionFailure("a frame that passes the check does not decode")
        }
        var again: [UInt8] = []
        var second = header
        second.kind = FramePayload.encode(frame.payload, to: &again)
        let decoded = try? FramePayload.decode(second, payload: again.span)
        precondition(decoded == frame, "a frame decodes otherwise once it is encoded again")
    }

    static func copy(_ bytes: Span<UInt8>) -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in bytes.indices { copy.append(bytes[index]) }
        return copy
    }

    static var seeds: [[UInt8]] {
        let rotation = SIMD3<Float>(0.25, 0, -2)
        let sample = MotionSample(acceleration: SIMD3(0.5, -0.5, 1), rotation: rotation)
        let batch = MotionBatch(
            traits: [.hasRotation], intervalMicroseconds: 20_000, samples: [sample, sample])
        var payloads: [Frame.Payload] = [
            .motion(batch), .control(.lap), .pressure(hectopascals: 950), .marker("hill"),
            .foreign(ForeignMessages(format: .fit, bytes: [64, 0, 0])),
            .status(DeviceStatus(batteryPercent: 40, charging: true)), .source("strap"),
        ]
        if let heartRate = try? HeartRateSample(
            beatsPerMinute: 141, contact: .on, rrIntervals: [420, 431])
        {
            payloads.append(.heartRate(heartRate))
        }
        if let location = try? Location(
            latitude: 48.1, longitude: 11.5, altitude: 500, horizontalAccuracy: 4, speed: 3,
            course: 90)
        {
            payloads.append(.location(location))
        }
        var pod = MeasuredValues(source: "pod", placement: .foot)
        if (try? pod.set(.cadence, to: 172.4)) != nil { payloads.append(.measured(pod)) }
        var all: [UInt8] = [7]
        let single = payloads.enumerated().map { index, payload in
            var bytes: [UInt8] = []
            let sequence = FrameSequence(rawValue: UInt32(index + 1))
            BinaryFrame.encode(
                Frame(sequence: sequence, deviceTime: arrival, payload: payload), to: &bytes)
            all += bytes
            return [UInt8(index)] + bytes
        }
        return single + [all]
    }
}
