import SensorModel
import Testing
import WireFormat

@testable import Transport

@Suite struct FrameRateTests {
    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)

    @Test func `Live frames above the rate are told, a backlog never`() {
        let rate = FrameRate()
        for index in 0..<20 {
            let arrival = Self.start.advanced(bySeconds: Double(index) / 100)
            #expect(rate.allows(deviceTime: arrival, arrival: arrival, perSecondMax: 2))
        }
        let late = Self.start.advanced(bySeconds: 1)
        #expect(!rate.allows(deviceTime: late, arrival: late, perSecondMax: 2))
        let old = late.advanced(bySeconds: -11)
        for _ in 0..<1000 { #expect(rate.allows(deviceTime: old, arrival: late, perSecondMax: 2)) }
    }

    @Test func `The window begins anew after ten seconds, and when the clock is set back`() {
        let rate = FrameRate()
        for seconds in [0.0, 10, 20, -100] {
            let arrival = Self.start.advanced(bySeconds: seconds)
            for _ in 0..<10 {
                #expect(rate.allows(deviceTime: arrival, arrival: arrival, perSecondMax: 1))
            }
            #expect(!rate.allows(deviceTime: arrival, arrival: arrival, perSecondMax: 1))
        }
    }

    @Test func `What a device measured while it was away does not count as what comes now`() {
        // 15 a second with a limit of 20, a break of 9 s, then 19 s of frames in 10 s of arrival.
        let rate = FrameRate()
        let back = Self.start.advanced(bySeconds: 9)
        for index in 0..<285 {
            let measured = Self.start.advanced(bySeconds: Double(index) / 15)
            let arrival = max(measured, back)
            #expect(rate.allows(deviceTime: measured, arrival: arrival, perSecondMax: 20))
        }
    }

    @Test func `A backlog of a device whose clock is ahead may come at once, a flood may not`() {
        let rate = FrameRate()
        func isAllowed(_ seconds: Double) -> Bool {
            let ahead = Self.start.advanced(bySeconds: 3600 + seconds)
            return rate.allows(deviceTime: ahead, arrival: Self.start, perSecondMax: 60)
        }
        #expect((0..<90_000).allSatisfy { isAllowed(Double($0) / 50) })
        // 61 a second in device time, for longer than the window.
        #expect(!(0..<1220).allSatisfy { isAllowed(7200 + Double($0) / 61) })
    }

    // MARK: Holes

    private static func ticks(
        _ kind: FrameKind, _ payload: [UInt8], after seconds: Double?
    ) -> Double? {
        var holes = FrameHoles(pace: HolePace())
        func header(_ time: Timestamp) -> FrameHeader {
            FrameHeader(kind: kind, sequence: .none, deviceTime: time)
        }
        if let seconds { holes.passed(header(start.advanced(bySeconds: -seconds)), ticks: 0) }
        return try? holes.ticks(before: header(start), payload: payload.span, at: start)
    }

    @Test(
        arguments: [
            (nil, 2150), (0.02, 0), (1.5, 0), (-1.5, 0), (2, 6), (30, 90), (-30, 90), (600, 720),
            (3600, 770), (86_400, 2150), (1e9, 2160),
        ] as [(Double?, Double)])
    func `A hole costs the seconds that are passed one by one`(seconds: Double?, ticks: Double) {
        #expect(Self.ticks(.heartRate, [], after: seconds) == ticks)
    }

    /// Sequences with device time, seconds, in order of arrival; total cost of their holes.
    @Test(
        arguments: [
            ([(1, 0), (2, 0), (3, 3600)], 970),
            // A continued session; a duplicate; a late frame.
            ([(7, 0), (8, 1)], 2150), ([(1, 0), (2, 1), (2, 1), (1, 0)], 200),
            ([(1, 0), (3, 2), (2, 1)], 206),
            // In the order of the numbers, time goes forward and back.
            ([(1, 0), (3, 0), (5, 0), (2, 3600), (4, 3600)], 200 + 4 * 770),
            // If a part was counted before, only the rest is counted.
            ([(1, 0), (3, 7200), (2, 3600)], 200 + 830 + 710),
        ] as [([(UInt32, Double)], Double)])
    func `Holes count in the order of the numbers, whatever comes first`(
        frames: [(UInt32, Double)], ticks: Double
    ) throws {
        let noBytes: [UInt8] = []
        var holes = FrameHoles(pace: HolePace())
        var sum = 0.0
        for (sequence, seconds) in frames {
            let header = FrameHeader(
                kind: .heartRate, sequence: FrameSequence(rawValue: sequence),
                deviceTime: Self.start.advanced(bySeconds: seconds))
            sum += try holes.ticks(before: header, payload: noBytes.span, at: Self.start)
            holes.passed(header, ticks: 0)
        }
        #expect(sum == ticks)
    }

    @Test
    func `Many stretches are not all remembered, and what lies below costs as the unknown`() throws
    {
        let noBytes: [UInt8] = []
        var holes = FrameHoles(pace: HolePace())
        func cost(_ sequence: UInt32) throws -> Double {
            let header = FrameHeader(
                kind: .heartRate, sequence: FrameSequence(rawValue: sequence),
                deviceTime: Self.start)
            defer { holes.passed(header, ticks: 0) }
            return try holes.ticks(before: header, payload: noBytes.span, at: Self.start)
        }
        for sequence in stride(from: UInt32(1), through: 127, by: 2) { _ = try cost(sequence) }
        #expect(try cost(2) == 0)
        for sequence in stride(from: UInt32(129), through: 401, by: 2) { _ = try cost(sequence) }
        #expect(try cost(4) == FrameHoles.ticksOfUnknown)
        #expect(try cost(400) == 0)
    }

    @Test func `Holes between the samples of a batch count each`() {
        // Three samples, ten seconds apart.
        let head: [UInt8] = [3, 0, 0, 0, 0x80, 0x96, 0x98, 0]
        let payload = head + [UInt8](repeating: 0, count: 18)
        #expect(Self.ticks(.motion, payload, after: 1) == 60)
    }

    @Test func `Holes are passed at their pace, whatever the clock does`() {
        let pace = HolePace()
        #expect(pace.hasRoom(for: 1, at: Self.start))
        pace.take(HolePace.ticksMax + HolePace.ticksPerSecond, shared: 0)
        #expect(!pace.hasRoom(for: 1, at: Self.start))
        #expect(!pace.hasRoom(for: 1, at: Self.start.advanced(bySeconds: -3600)))
        #expect(!pace.hasRoom(for: 1, at: Self.start.advanced(bySeconds: -3599.5)))
        #expect(pace.hasRoom(for: 1, at: Self.start.advanced(bySeconds: -3598)))
    }

    @Test func `Long texts wait as holes do, short ones never, and what waits does come`() {
        let pace = HolePace()
        var holes = FrameHoles(pace: pace)
        func isRoom(_ textBytes: Int, _ arrival: Timestamp) -> Bool {
            (try? holes.checkRoom(textBytes: textBytes, at: arrival)) != nil
        }
        let texts = [65_536, 4097].map { bytes in
            var read = 0
            while isRoom(bytes, Self.start), read < 100_000 {
                holes.haveRead(textBytes: bytes)
                read += 1
            }
            return read
        }
        // 3 MB at once, for any lengths.
        #expect(texts == [47, 0])
        #expect(isRoom(4096, Self.start))
        // With hardly any budget left, a frame in the text that needs some still gets it.
        let later = Self.start.advanced(bySeconds: 0.002)
        #expect(isRoom(65_536, later))
        let noBytes: [UInt8] = []
        let header = FrameHeader(kind: .control, sequence: .none, deviceTime: later)
        #expect(throws: Never.self) {
            try holes.ticks(before: header, payload: noBytes.span, at: later)
        }
        holes.passed(header, ticks: 400)
        holes.haveRead(textBytes: 65_536)
        #expect(!isRoom(65_536, later))
    }

    /// Passes holes of ten minutes and of ten seconds while the budget lasts.
    private static func flood(_ pace: HolePace, at time: Timestamp) {
        for ticks in [720.0, 30] {
            while pace.hasRoom(for: ticks, at: time) { pace.take(ticks, shared: ticks) }
        }
    }

    @Test func `Long holes of all devices wait together, and each has some of its own`() {
        let rates = FrameRates()
        let holes = (UInt32(0)..<60).map { rates.rate(of: DeviceID(rawValue: $0)).holes }
        // The first frames of their connections.
        for pace in holes { pace.take(FrameHoles.ticksOfUnknown, shared: 0) }
        // For ten seconds, ten times a second.
        for step in 0..<100 {
            let time = Self.start.advanced(bySeconds: Double(step) / 10)
            for pace in holes { Self.flood(pace, at: time) }
        }
        let end = Self.start.advanced(bySeconds: 9.9)
        let other = rates.rate(of: DeviceID(rawValue: 100)).holes
        // A watch that was away for a minute, eleven times.
        var passed = 0
        while other.hasRoom(for: 181, at: end) {
            other.take(181, shared: 181)
            passed += 1
        }
        #expect(passed == 12)
        // No debt remains that would delay others.
        #expect(other.hasRoom(for: 720, at: end.advanced(bySeconds: 1)))
    }

    @Test func `A device takes its share in small pieces`() {
        let pace = HolePace()
        var most = 0.0
        var sum = 0.0
        for millisecond in 0..<2000 {
            let time = Self.start.advanced(bySeconds: Double(millisecond) / 1000)
            var taken = 0.0
            while pace.hasRoom(for: 100, at: time) {
                pace.take(100, shared: 0)
                taken += 100
            }
            most = max(most, taken)
            sum += taken
        }
        #expect(most <= HolePace.burstTicksMax)
        #expect((sum - HolePace.ticksMax - 2 * HolePace.ticksPerSecond).magnitude < 200)
    }
}
