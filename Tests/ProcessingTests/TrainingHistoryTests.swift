import SensorModel
import Testing
@testable import Processing

@Suite struct TrainingHistoryTests {
    /// 2025-11-21 00:00 UTC.
    private let midnight = Timestamp(microseconds: 1_763_683_200_000_000)

    @Test(arguments: [
        (2.99, 0, -1), (3.0, 0, 0), (23.9, 0, 0), (1.5, 2 * 3600, 0), (0.9, 2 * 3600, -1),
        (7.5, -5 * 3600, -1), (8.0, -5 * 3600, 0),
    ])
    func `Before three in the morning it is still yesterday`(
        hours: Double, offset: Int, day: Int
    ) {
        let base = 20_413
        let time = midnight.advanced(bySeconds: hours * 3600)
        #expect(TrainingHistory.day(of: time, offset: offset) - base == day)
    }

    private func history(_ loads: [Double]) -> TrainingHistory {
        TrainingHistory(
            sessions: loads.enumerated().map {
                .init(
                    start: midnight.advanced(bySeconds: Double($0.offset) * 86_400 + 43_200),
                    zoneOffsetSeconds: 0, load: $0.element)
            })
    }

    @Test func `An even load is in balance`() throws {
        let form = try #require(history([Double](repeating: 50, count: 60)).form(on: 20_413 + 59))
        #expect(abs(form.fitness - 50) < 1e-9 && abs(form.fatigue - 50) < 1e-9)
        #expect(form.form == 0 && form.acuteToChronic == 1)
        #expect(form.monotony == TrainingHistory.monotonyMax)
        #expect(!form.risksInjury && !form.isDetraining)
    }

    @Test func `Smoothing is by 2 over N plus 1, seeded with the first day`() throws {
        let form = try #require(history([100, 0]).form(on: 20_414))
        #expect(abs(form.fitness - 100 * (1 - 2 / 43.0)) < 1e-9)
        #expect(abs(form.fatigue - 100 * (1 - 2 / 8.0)) < 1e-9)
    }

    @Test func `A hard week on little training risks injury, none after much is detraining`() throws
    {
        let hard = history([Double](repeating: 20, count: 50) + [Double](repeating: 80, count: 7))
        #expect(try #require(hard.form(on: 20_413 + 56)).risksInjury)
        let first = try #require(history([50, 0, 60]).form(on: 20_415))
        #expect(first.acuteToChronic == 4 && !first.risksInjury)
        let idle = history([Double](repeating: 60, count: 50))
        #expect(try #require(idle.form(on: 20_413 + 56)).isDetraining)
    }

    @Test func `Monotony is the mean over the deviation`() throws {
        #expect(
            abs(try #require(TrainingHistory.monotony([0, 0, 0, 0, 0, 0, 70])) - 0.408248) < 1e-5)
        #expect(TrainingHistory.monotony([0, 0, 0, 0, 0, 0, 0]) == nil)
    }
}
