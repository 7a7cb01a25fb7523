import Ingest
import SensorModel
import Testing

@Suite struct ClockModelTests {
    private static let start = 1_763_700_000.0

    private static func time(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: Int64((seconds * 1e6).rounded()))
    }

    /// Error of the model's device time in seconds.
    private static func error(_ model: ClockModel, _ device: Double, at arrival: Double) -> Double {
        model.deviceTime(at: time(arrival)).map { $0.seconds(since: time(device)) } ?? .infinity
    }

    /// A deterministic delay of 20 ms with a long tail.
    private static func delay(_ index: Int) -> Double {
        0.02 + Double((index * 7919) % 101) / 101 * 0.3
    }

    @Test func `Nothing is known before the first frame`() {
        let model = ClockModel(recorded: false)
        #expect(model.deviceTime(at: Self.time(Self.start)) == nil)
        #expect(model.arrivalTime(of: Self.time(Self.start)) == nil)
    }

    @Test(arguments: [-7200.0, -0.3, 0, 5, 86_000])
    func `An offset is found through changing delays`(offset: Double) {
        var model = ClockModel(recorded: false)
        for index in 0..<600 {
            let now = Self.start + Double(index) * 0.1
            model.observe(
                Self.time(now + offset), at: Self.time(now + Self.delay(index)))
        }
        let now = Self.start + 65
        #expect(abs(Self.error(model, now + offset, at: now) + 0.02) < 0.02)
        let there = model.arrivalTime(of: Self.time(now + offset))
        #expect(abs((there?.seconds(since: Self.time(now)) ?? .infinity) - 0.02) < 0.02)
    }

    @Test func `A drifting clock is followed`() {
        var model = ClockModel(recorded: false)
        for index in 0..<6000 {
            let now = Self.start + Double(index) * 0.1
            let device = now + Double(index) * 0.1 * 100e-6
            model.observe(Self.time(device), at: Self.time(now + Self.delay(index)))
        }
        #expect(abs(model.drift + 100e-6) < 60e-6)
        let now = Self.start + 620
        #expect(abs(Self.error(model, now + 620 * 100e-6, at: now) + 0.02) < 0.03)
    }

    @Test func `A backlog does not make the device look slow`() {
        var model = ClockModel(recorded: false)
        for index in 0..<100 {
            let now = Self.start + Double(index)
            model.observe(Self.time(now), at: Self.time(now + 0.05))
        }
        // A minute of data without a connection, sent at once.
        for index in 100..<160 {
            model.observe(
                Self.time(Self.start + Double(index)), at: Self.time(Self.start + 160.05))
        }
        let now = Self.start + 161
        #expect(abs(Self.error(model, now, at: now)) < 0.1)
    }

    @Test func `One frame from the future is not believed, a second one is`() {
        var model = ClockModel(recorded: false)
        for index in 0..<50 {
            let now = Self.start + Double(index)
            model.observe(Self.time(now), at: Self.time(now + 0.05))
        }
        model.observe(Self.time(Self.start + 4000), at: Self.time(Self.start + 50))
        #expect(abs(Self.error(model, Self.start + 51, at: Self.start + 51)) < 0.1)
        model.observe(Self.time(Self.start + 51), at: Self.time(Self.start + 51.05))
        model.observe(Self.time(Self.start + 3652), at: Self.time(Self.start + 52))
        model.observe(Self.time(Self.start + 3653), at: Self.time(Self.start + 53))
        #expect(abs(Self.error(model, Self.start + 3654, at: Self.start + 54)) < 0.1)
    }

    @Test func `A clock set back is followed when the old windows have gone`() {
        var model = ClockModel(recorded: false)
        for index in 0..<400 {
            let now = Self.start + Double(index)
            let device = index < 100 ? now : now - 30
            model.observe(Self.time(device), at: Self.time(now + 0.05))
        }
        let now = Self.start + 400
        #expect(abs(Self.error(model, now - 30, at: now)) < 0.2)
    }

    @Test func `Device time never falls behind the newest frame`() {
        var model = ClockModel(recorded: false)
        model.observe(Self.time(Self.start), at: Self.time(Self.start + 0.5))
        model.observe(Self.time(Self.start + 1), at: Self.time(Self.start + 1.01))
        #expect(model.deviceTime(at: Self.time(Self.start)) == Self.time(Self.start + 1))
    }

    @Test func `A recording's time goes on from its newest frame`() {
        var model = ClockModel(recorded: true)
        for index in 0..<1000 {
            model.observe(
                Self.time(1_000_000_000 + Double(index)),
                at: Self.time(Self.start + Double(index) / 1000))
        }
        #expect(
            model.deviceTime(at: Self.time(Self.start + 0.999 + 2))
                == Self.time(1_000_000_999 + 2))
        #expect(
            model.arrivalTime(of: Self.time(1_000_000_999 + 3))
                == Self.time(Self.start + 0.999 + 3))
    }

    @Test func `One wild time in a recording does not move its clock, a second one does`() {
        var model = ClockModel(recorded: true)
        for second in 0..<20 {
            model.observe(Self.time(1e9 + Double(second)), at: Self.time(Self.start))
        }
        model.observe(Self.time(9.2e9), at: Self.time(Self.start))
        #expect(Self.error(model, 1e9 + 19, at: Self.start) == 0)
        model.observe(Self.time(1e9 + 20), at: Self.time(Self.start))
        #expect(Self.error(model, 1e9 + 20, at: Self.start) == 0)
        for second in 0..<2 {
            model.observe(Self.time(1.1e9 + Double(second)), at: Self.time(Self.start))
        }
        #expect(Self.error(model, 1.1e9 + 1, at: Self.start) == 0)
    }
}
