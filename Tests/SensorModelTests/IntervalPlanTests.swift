import SensorModel
import Testing

@Suite struct IntervalPlanTests {
    @Test(
        arguments: [
            ("10:00", "10:00"), ("90s", "1:30"), ("1:00:00", "60:00"), ("400m", "400m"),
            ("1.5km", "1500m"), ("12.5s", "12.5s"), ("1.001km", "1001m"),
            ("0.0561111km", "56.11m"), ("2x(1km,2:00)", "1000m,2:00,1000m,2:00"),
            (" 10:00, 2X( 400M , 90s ), 5:00 ", "10:00,400m,1:30,400m,1:30,5:00"),
            ("25x(50m,10s)", Array(repeating: "50m,0:10", count: 25).joined(separator: ",")),
        ])
    func `A plan is read, and written without repetition`(text: String, written: String) throws {
        let plan = try #require(IntervalPlan(text: text))
        #expect(plan.text == written)
        #expect(IntervalPlan(text: written) == plan)
    }

    @Test(
        arguments: [
            "", ",", "10:00,", ",10:00", "10", "9s", "0:09", "49m", "201km", "24:00:01", "1:60",
            "-5:00", "+90s", "1e3m", "nans", "infm", "x(1km)", "0x(1km)", "51x(1km)",
            "26x(1km,2:00)", "2x(1km", "2x1km", "2x()", "2x(2x(1km))", "(1km)", "1km)",
            "2x(1km)5:00",
            "10 min", "99999999999s", "1..5km",
        ])
    func `What is no plan is refused`(text: String) {
        #expect(IntervalPlan(text: text) == nil)
    }

    @Test func `A plan has 1 to 50 phases`() {
        #expect(IntervalPlan(phases: []) == nil)
        #expect(IntervalPlan(phases: Array(repeating: .seconds(10), count: 50)) != nil)
        #expect(IntervalPlan(phases: Array(repeating: .seconds(10), count: 51)) == nil)
        #expect(IntervalPlan(phases: [.seconds(.nan)]) == nil)
    }
}
