import FaultyDisk
import SensorModel
import WireFormat

/// A watch: makes frames, keeps those that are not acknowledged, and sends them again.
struct Watch {
    /// A frame in its expected form in the log.
    struct Made: Hashable {
        var kind: FrameKind
        var deviceTime: Timestamp
        var payload: [UInt8]
    }

    let device: DeviceID
    /// Offset of the watch's clock from the steady clock, µs.
    let clockOffset: Int64
    var session: SessionID
    /// Sequence of the next frame, from 1.
    var next: UInt32 = 1
    var acknowledged: UInt32 = 0
    /// Highest sequence sent over the current connection.
    var sent: UInt32 = 0
    /// Bytes of frames that may have to be sent again.
    var kept: [UInt32: [UInt8]] = [:]
    var connection: ConnectionID?
    var isWelcome = false
    var nextFrameAt: Int64 = 0
    private var track = Track()
    private var lastFix: Int64?
    private var beats = 110.0

    init(device: DeviceID, clockOffset: Int64, session: SessionID) {
        self.device = device
        self.clockOffset = clockOffset
        self.session = session
    }

    mutating func begin(_ session: SessionID, _ random: inout SplitMix) {
        self.session = session
        track.begin(&random)
        next = 1
        acknowledged = 0
        sent = 0
        kept = [:]
        isWelcome = false
    }

    /// - Parameters:
    ///   - steady: Steady time of the simulation, microseconds.
    ///   - random: The seed's generator.
    /// - Returns: The next frame's number and its expected form in the log; `nil` if the frame must
    ///   be refused or is never sent.
    mutating func make(at steady: Int64, _ random: inout SplitMix) -> (UInt32, Made?) {
        let number = next
        next += 1
        // The watch uses this number without a frame.
        if random.happens(percent: 1) { return (number, nil) }
        let time = Timestamp(microseconds: steady + clockOffset)
        if random.happens(percent: 1) {
            var bytes: [UInt8] = []
            let header = FrameHeader(
                kind: .heartRate, sequence: FrameSequence(rawValue: number), deviceTime: time)
            BinaryFrame.appendHeader(header, payloadBytes: 4, to: &bytes)
            bytes += [1, 0, 0, 0]  // 0.1 beats a minute
            kept[number] = bytes
            return (number, nil)
        }
        var bytes: [UInt8] = []
        let frame = Frame(
            sequence: FrameSequence(rawValue: number), deviceTime: time,
            payload: payload(number, at: steady, &random))
        BinaryFrame.encode(frame, to: &bytes)
        kept[number] = bytes
        let payload = Array(bytes.dropFirst(Limits.frameHeaderBytes))
        guard let kind = FrameKind(rawValue: bytes[2]) else { return (number, nil) }
        return (number, Made(kind: kind, deviceTime: time, payload: payload))
    }

    /// Makes a frame without a number, as simple programs and pushes send it: once, without retry.
    mutating func makeUncounted(
        at steady: Int64, _ random: inout SplitMix
    ) -> (frame: Frame, bytes: [UInt8], made: Made)? {
        let time = Timestamp(microseconds: steady + clockOffset)
        let frame = Frame(
            sequence: .none, deviceTime: time, payload: payload(0, at: steady, &random))
        var bytes: [UInt8] = []
        BinaryFrame.encode(frame, to: &bytes)
        guard let kind = FrameKind(rawValue: bytes[2]) else { return nil }
        let payload = Array(bytes.dropFirst(Limits.frameHeaderBytes))
        return (frame, bytes, Made(kind: kind, deviceTime: time, payload: payload))
    }

    private mutating func payload(
        _ number: UInt32, at steady: Int64, _ random: inout SplitMix
    ) -> Frame.Payload {
        switch random.below(20) {
        case 0..<4:
            let samples = (0..<4).map { index in
                let swing = Float(random.below(200)) / 100 - 1
                return MotionSample(
                    acceleration: SIMD3(swing, swing / 2, index % 2 == 0 ? 0.5 : -0.5))
            }
            return .motion(
                MotionBatch(traits: [], intervalMicroseconds: 50_000, samples: samples))
        case 4..<8:
            beats = min(190, max(60, beats + Double(random.below(41) - 20)))
            if let sample = try? HeartRateSample(beatsPerMinute: beats) {
                return .heartRate(sample)
            }
        case 8..<17:
            let passed = lastFix.map { Double(steady - $0) / 1e6 } ?? 0
            lastFix = steady
            if let location = track.advance(min(passed, 20), &random) { return .location(location) }
        case 17:
            let actions: [ControlAction] = [.start, .pause, .resume, .lap, .lap, .stop]
            return .control(actions[random.below(actions.count)])
        case 18:
            return .status(
                DeviceStatus(batteryPercent: UInt8(random.below(101)), charging: false))
        default: break
        }
        return .marker("marker \(number)")
    }
}
