import SensorModel
import Testing
import WireFormat

@Suite struct FramePayloadTests {
    private static let header = FrameHeader(
        kind: .motion, sequence: FrameSequence(rawValue: 5), deviceTime: BinaryFrameTests.time)

    @Test(arguments: 1...300)
    func `What the wire holds comes back, and its bytes too`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let frame = Frame(
            sequence: FrameSequence(rawValue: UInt32(seed)), deviceTime: BinaryFrameTests.time,
            payload: try FrameSamples.payload(&random))
        var bytes: [UInt8] = []
        BinaryFrame.encode(frame, to: &bytes)
        #expect(try BinaryFrame.byteCount(at: bytes.span) == bytes.count)
        let header = try BinaryFrame.header(of: bytes.span)
        let payload = bytes.span.extracting(Limits.frameHeaderBytes..<bytes.count)
        try FrameValidation.check(
            header, payload: payload, arrivalTime: BinaryFrameTests.arrival, recorded: false)
        let decoded = try FramePayload.decode(header, payload: payload)
        #expect(decoded == frame)
        var again: [UInt8] = []
        BinaryFrame.encode(decoded, to: &again)
        #expect(again == bytes)
    }

    @Test(arguments: 1...100)
    func `The log's form loses nothing`(seed: UInt64) throws {
        var random = SplitMix(state: seed &* 31)
        let value = try FrameSamples.payload(&random, exactMotion: true)
        var bytes: [UInt8] = []
        var header = Self.header
        header.kind = FramePayload.encode(value, to: &bytes)
        if case .motion = value { #expect(header.kind == .exactMotion) }
        try FrameValidation.check(
            header, payload: bytes.span, arrivalTime: BinaryFrameTests.arrival, recorded: false)
        #expect(try FramePayload.decode(header, payload: bytes.span).payload == value)
    }

    @Test func `Motion on the wire's grid keeps the wire's form in the log`() {
        var random = SplitMix(state: 3)
        var bytes: [UInt8] = []
        let batch = FrameSamples.motion(&random, exact: false)
        #expect(FramePayload.encode(.motion(batch), to: &bytes) == .motion)
        var withHeartRate = batch
        withHeartRate.heartRate = 140
        #expect(FramePayload.encode(.motion(withHeartRate), to: &bytes) == .exactMotion)
        var offGrid = batch
        offGrid.samples[0].acceleration.x += 0.0001
        #expect(FramePayload.encode(.motion(offGrid), to: &bytes) == .exactMotion)
    }

    @Test(arguments: [false, true])
    func `Samples are read in place, each with its time`(exact: Bool) throws {
        var random = SplitMix(state: 8)
        let batch = FrameSamples.motion(&random, exact: exact)
        var bytes: [UInt8] = []
        let kind = FramePayload.encode(.motion(batch), to: &bytes)
        let layout = try MotionLayout(kind: kind, payload: bytes.span)
        var samples: [MotionSample] = []
        var times: [Timestamp] = []
        layout.forEachSample(in: bytes.span, from: BinaryFrameTests.time) { sample, time in
            samples.append(sample)
            times.append(time)
        }
        #expect(samples == batch.samples)
        #expect(layout.heartRate == batch.heartRate)
        #expect(
            times
                == samples.indices.map {
                    BinaryFrameTests.time.advanced(
                        byMicroseconds: Int64($0) * Int64(batch.intervalMicroseconds))
                })
    }

    @Test func `Exact motion with a value that is none is refused`() {
        let values: [Float] = [.nan, .infinity, 32.01, -33]
        for value in values {
            let batch = MotionBatch(
                traits: [], intervalMicroseconds: 0,
                samples: [MotionSample(acceleration: SIMD3(0, value, 0))])
            var bytes: [UInt8] = []
            var header = Self.header
            header.kind = FramePayload.encode(.motion(batch), to: &bytes)
            #expect(throws: FrameRefusal.self) {
                try FrameValidation.check(
                    header, payload: bytes.span, arrivalTime: BinaryFrameTests.arrival,
                    recorded: false)
            }
        }
    }

    @Test(arguments: [
        ("a\u{7}b\u{1B}[31m", "ab[31m"), ("x\u{202E}y\u{2066}z\u{200F}", "xyz"),
        ("line\r\nfeed\u{2028}", "line  feed "), ("\u{FEFF}Café 🏃🏽‍♀️", "Café 🏃🏽‍♀️"),
        ("zero\u{200B}wi\u{2060}dth\u{E0041}", "zerowidth"),
    ])
    func `A marker is cleaned when it is read`(text: String, cleaned: String) throws {
        var header = Self.header
        header.kind = .marker
        let bytes = Array(text.utf8)
        #expect(
            try FramePayload.decode(header, payload: bytes.span).payload == .marker(cleaned))
    }

    @Test(arguments: ["\0", "\u{200E}", "\u{1B}\u{7}", "\u{200B}\u{2060}", "\u{E0041}"])
    func `A marker of which nothing is seen is refused as an empty one`(text: String) {
        var header = Self.header
        header.kind = .marker
        let bytes = Array(text.utf8)
        #expect(throws: FrameRefusal.emptyText) {
            try FrameValidation.check(
                header, payload: bytes.span, arrivalTime: BinaryFrameTests.arrival,
                recorded: false)
        }
    }

    private static let footPod: [UInt8] =
        [1, 2, 1, 0x34, 0x9F, 2, 0, 3, 0xCE, 9, 0, 0] + Array("pod".utf8)

    /// A placement, values and a source as in ``footPod``, changed by a table of tests.
    static let measured: [(bytes: [UInt8], isValid: Bool)] = [
        (footPod, true),
        // A quantity and a placement of a later program.
        ([200, 2, 1, 0x34, 0x9F, 2, 0, 99, 0xFF, 0xFF, 0xFF, 0x7F] + Array("pod".utf8), true),
        // No value, or no known one.
        ([1, 0], false), ([1, 1, 99, 0, 0, 0, 0], false), ([], false), ([1], false),
        // Fewer bytes than values, more values than there may be.
        (Array(footPod[..<11]), false), ([1, 65] + Array(repeating: 0, count: 65 * 5), false),
        // Beyond the range at both ends.
        ([1, 1, 1, 0xFF, 0xFF, 0xFF, 0xFF], false), ([1, 1, 1, 0x81, 0x1A, 6, 0], false),
        // Sources that are too long, not UTF-8, or without visible characters.
        (footPod + Array(repeating: 0x61, count: 30), false), (footPod + [0xC3], false),
        (Array(footPod[..<12]) + [7], false),
    ]

    @Test(arguments: measured)
    func `Measured values are read, or refused with their frame`(bytes: [UInt8], isValid: Bool) {
        var header = Self.header
        header.kind = .measured
        let read = try? FramePayload.decode(header, payload: bytes.span).payload
        guard isValid else { return #expect(read == nil) }
        guard case .measured(let values) = read else { return #expect(Bool(false)) }
        #expect(values.source == "pod")
        #expect(values[.cadence] == 171.828)
        #expect(values.placement == (bytes[0] == 1 ? .foot : nil))
        #expect(values[.power] == (bytes[0] == 1 ? 251 : nil))
    }

    @Test(arguments: MeasuredValues.Quantity.allCases)
    func `A quantity keeps the ends of its range, and nothing beyond or between`(
        quantity: MeasuredValues.Quantity
    ) throws {
        var values = MeasuredValues()
        for end in [quantity.range.lowerBound, quantity.range.upperBound] {
            try values.set(quantity, to: end)
            #expect(values[quantity] == end)
        }
        let beyond = [
            quantity.range.upperBound + 1, quantity.range.lowerBound - 1, .nan, .infinity,
        ]
        for value in beyond {
            #expect(throws: SensorError.self) { try values.set(quantity, to: value) }
        }
        #expect(values[quantity] == quantity.range.upperBound)
        try values.set(quantity, to: 1 / 3)
        var bytes: [UInt8] = []
        var header = Self.header
        header.kind = FramePayload.encode(.measured(values), to: &bytes)
        #expect(try FramePayload.decode(header, payload: bytes.span).payload == .measured(values))
    }
}
