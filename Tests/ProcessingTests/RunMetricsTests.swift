import Glibc
import SensorModel
import Testing

@testable import Processing

@Suite struct RunMetricsTests {
    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    private let nothing = Splits.Context(heartRate: (0, 0), altitude: nil)

    // MARK: Splits

    @Test func `Splits are interpolated at the mark, kilometers and miles`() {
        var splits = Splits()
        splits.start(at: at(0), altitude: nil)
        var completed: [Split] = []
        // At 3 m/s with updates every 7 s, the mark lies between two updates.
        for second in stride(from: 0.0, through: 700, by: 7) {
            completed += splits.update(
                meters: 3 * second, at: at(second), movingTime: MovingTime(), context: nothing)
        }
        let kilometers = completed.filter { $0.unit == .kilometer }
        let miles = completed.filter { $0.unit == .mile }
        #expect(kilometers.map(\.number) == [1, 2])
        #expect(kilometers.allSatisfy { abs($0.seconds - 1000 / 3) < 1e-5 })
        #expect(miles.count == 1)
        #expect(abs((miles.first?.seconds ?? 0) - 1609.344 / 3) < 1e-5)
    }

    @Test func `A tick between two fixes does not move the mark`() {
        var splits = Splits()
        splits.start(at: at(0), altitude: nil)
        var completed: [Split] = []
        for second in 0...400 {
            for isMeasured in [false, true] {
                let meters = isMeasured ? 3 * Double(second) : 3 * Double(max(second - 1, 0))
                completed += splits.update(
                    meters: meters, at: at(Double(second)), isMeasured: isMeasured,
                    movingTime: MovingTime(), context: nothing)
            }
        }
        #expect(abs((completed.first?.seconds ?? 0) - 1000 / 3) < 1e-5)
    }

    @Test func `Paused time is in no split, and a re-dated pause corrects it`() {
        var splits = Splits()
        var movingTime = MovingTime()
        splits.start(at: at(0), altitude: nil)
        _ = movingTime.begin(since: at(100), automatic: true)
        _ = movingTime.end(at: at(160))
        var completed: [Split] = []
        for second in 0...500 {
            let moving = Double(second <= 100 ? second : max(100, second - 60))
            completed += splits.update(
                meters: 3 * moving, at: at(Double(second)), movingTime: movingTime,
                context: nothing)
        }
        #expect(abs((completed.first?.seconds ?? 0) - 1000 / 3) < 1e-5)
        #expect(splits.correct(by: movingTime).isEmpty)
        _ = movingTime.insert(start: at(200), end: at(210), automatic: true)
        let corrected = splits.correct(by: movingTime)
        #expect(abs((corrected.first?.seconds ?? 0) - (1000 / 3 - 10)) < 1e-5)
        #expect(splits.correct(by: movingTime).isEmpty)
    }

    @Test func `A split has its own mean heart rate and climb`() {
        var splits = Splits()
        splits.start(at: at(0), altitude: 100)
        _ = splits.update(meters: 0, at: at(0), movingTime: MovingTime(), context: nothing)
        _ = splits.update(
            meters: 1000, at: at(300), movingTime: MovingTime(),
            context: .init(heartRate: (300 * 140, 300), altitude: 110))
        let second = splits.update(
            meters: 2000, at: at(600), movingTime: MovingTime(),
            context: .init(heartRate: (300 * 140 + 300 * 160, 600), altitude: 104))
        #expect(second.first?.averageHeartRate == 160)
        #expect(second.first?.elevationMeters == -6)
    }

    @Test func `The first split has its climb though it begins before an altitude is known`() {
        var splits = Splits()
        splits.start(at: at(0), altitude: nil)
        for (meters, altitude) in [(0.0, 100.0), (500, 104)] {
            _ = splits.update(
                meters: meters, at: at(meters / 3), movingTime: MovingTime(),
                context: .init(heartRate: (0, 0), altitude: altitude))
        }
        let done = splits.update(
            meters: 1000, at: at(333), movingTime: MovingTime(),
            context: .init(heartRate: (0, 0), altitude: 109))
        #expect(done.map(\.elevationMeters) == [9])
    }

    @Test func `Laps count from the last one`() {
        var laps = Laps()
        let first = laps.mark(movingSeconds: 100, meters: 300, heartRate: (14_000, 100))
        let second = laps.mark(movingSeconds: 250, meters: 800, heartRate: (38_000, 250))
        #expect(first.number == 1 && first.seconds == 100 && first.distanceMeters == 300)
        #expect(second.number == 2 && second.seconds == 150 && second.distanceMeters == 500)
        #expect(second.averageHeartRate == 160)
    }

    // MARK: Height

    private func place(_ altitude: Double, verticalAccuracy: Double? = 5) throws -> Location {
        try Location(
            latitude: 48, longitude: 11, altitude: altitude, verticalAccuracy: verticalAccuracy)
    }

    @Test func `Small hills count where the altitude of fixes is quiet, whole meters too`() throws {
        for grid in [0.2, 1] {
            var elevation = Elevation()
            for second in 0..<1200 {
                let phase = Double(second % 300) / 300
                let height = 100 + 6 * (phase < 0.5 ? 2 * phase : 2 - 2 * phase)
                let shown = (height / grid).rounded() * grid
                elevation.add(
                    try place(shown, verticalAccuracy: nil), at: at(Double(second)))
            }
            #expect(abs(try #require(elevation.gainMeters) - 24) < 24 * 0.1)
            #expect(abs(try #require(elevation.lossMeters) - 24) < 24 * 0.1)
        }
    }

    @Test func `An altitude that jumps from fix to fix climbs nothing, though it has no accuracy`()
        throws
    {
        var elevation = Elevation()
        for second in 0..<3600 {
            let noise = 4 * Double((second * 7919) % 100) / 100 - 2
            elevation.add(try place(100 + noise, verticalAccuracy: nil), at: at(Double(second)))
        }
        #expect(elevation.gainMeters == 0)
    }

    @Test func `A flat hour of noise climbs nothing`() throws {
        var elevation = Elevation()
        for second in 0..<3600 {
            let noise = 4 * Double((second * 7919) % 100) / 100 - 2
            elevation.add(try place(100 + noise), at: at(Double(second)))
        }
        #expect(elevation.gainMeters == 0)
        #expect(elevation.lossMeters == 0)
    }

    @Test func `A barometer's hills are counted whole`() throws {
        var elevation = Elevation()
        for second in 0..<1200 {
            let phase = Double(second % 400) / 400
            let height = 300 + 40 * (phase < 0.5 ? 2 * phase : 2 - 2 * phase)
            let pressure = 1013.25 * pow(1 - height / 44_330.77, 1 / 0.190263)
            elevation.add(pressure: pressure, at: at(Double(second)))
        }
        #expect(abs(try #require(elevation.gainMeters) - 120) < 120 * 0.03)
        #expect(abs(try #require(elevation.lossMeters) - 120) < 120 * 0.03)
        #expect(elevation.hasBarometer)
    }

    @Test func `A settling receiver's altitude is no climb`() throws {
        var elevation = Elevation()
        for second in 0..<60 {
            let height = second < 30 ? 0.0 : 120
            elevation.add(try place(height), at: at(Double(second)))
        }
        #expect(elevation.gainMeters == 0)
    }

    @Test func `A slope is rise over the last stretch`() throws {
        var grade = Grade()
        for meters in stride(from: 0.0, through: 400, by: 3) {
            grade.add(meters: meters, altitude: 0.08 * meters, hasBarometer: true)
        }
        #expect(abs(try #require(grade.grade) - 0.08) < 1e-9)
    }

    // MARK: Race

    @Test func `The finish is expected at the pace so far, best before and worst after`() throws {
        var finish = FinishEstimator()
        for second in 0...2000 {
            finish.update(meters: 3 * Double(second), movingSeconds: Double(second))
        }
        let estimate = try #require(
            finish.estimate(
                raceKm: 10, meters: 6000, gainMeters: 0, movingSeconds: 2000,
                elapsedSeconds: 2000))
        #expect(abs(estimate.expectedSeconds - 10_000 / 3) < 1e-6)
        #expect(estimate.bestSeconds < estimate.expectedSeconds)
        #expect(estimate.worstSeconds > estimate.expectedSeconds)
        #expect(
            finish.estimate(
                raceKm: 0, meters: 6000, gainMeters: 0, movingSeconds: 2000,
                elapsedSeconds: 2000) == nil)
    }

    private func expected(
        meters: Double, gainMeters: Double = 0, movingSeconds: Double, ahead: CourseAhead? = nil,
        _ runs: [RecentRun] = []
    ) throws -> Double {
        try #require(
            FinishEstimator().estimate(
                raceKm: 10, meters: meters, gainMeters: gainMeters, movingSeconds: movingSeconds,
                elapsedSeconds: movingSeconds, ahead: ahead, recentRuns: runs)
        ).expectedSeconds
    }

    @Test func `The climb of the course ahead makes the finish later, that of another part not`()
        throws
    {
        let flat = CourseAhead(meters: 8000, climbMeters: 0)
        let hill = CourseAhead(meters: 8000, climbMeters: 1000 / 3)
        let half = CourseAhead(meters: 4000, climbMeters: 500 / 3)
        let pace = 0.3
        #expect(
            abs(try expected(meters: 2000, movingSeconds: 600, ahead: flat) - 10_000 * pace)
                < 1e-6)
        // A third of a kilometer of climb is a kilometer of effort.
        #expect(
            abs(try expected(meters: 2000, movingSeconds: 600, ahead: hill) - 11_000 * pace)
                < 1e-6)
        #expect(
            abs(try expected(meters: 2000, movingSeconds: 600, ahead: half) - 10_500 * pace)
                < 1e-6)
        // The hill is behind: the flat rest is faster than the mean so far.
        let done = try expected(
            meters: 2000, gainMeters: 1000 / 3, movingSeconds: 900, ahead: flat)
        #expect(abs(done - (900 + 8 * 300)) < 1e-6)
    }

    @Test func `Similar runs count at the beginning, others never`() throws {
        func run(_ meters: Int, _ seconds: Int, climb: Int = 0) throws -> RecentRun {
            try #require(RecentRun(meters: meters, climbMeters: climb, movingSeconds: seconds))
        }
        // Five hours for 15 km are a hike.
        let hikes = try (0..<5).map { _ in try run(15_000, 18_000) }
        let runs = try [run(10_000, 3300), run(10_000, 3200), run(10_000, 3400)]
        let alone = try expected(meters: 600, movingSeconds: 180)
        #expect(try expected(meters: 600, movingSeconds: 180, hikes) == alone)
        #expect(
            try expected(meters: 600, movingSeconds: 180, Array(runs.prefix(2)) + hikes) == alone)
        // The median, 330 s/km, weighs 4 km against 0.6 km at 300 s/km.
        let pace = (0.6 * 300 + 4 * 330) / 4.6
        #expect(
            abs(try expected(meters: 600, movingSeconds: 180, hikes + runs) - (180 + 9.4 * pace))
                < 1e-6)
        let late = try expected(meters: 9000, movingSeconds: 2700, runs)
        #expect(abs(late - 3000) < 10)
        // Half of the distance in less than half of the time: Riegel's exponent makes it equal.
        let short = try (0..<3).map { _ in try run(5000, Int(3300 / pow(2, 1.06))) }
        let (two, one) = (
            try expected(meters: 600, movingSeconds: 180, short),
            try expected(
                meters: 600, movingSeconds: 180, (0..<3).map { _ in try run(10_000, 3300) })
        )
        #expect(abs(two - one) < 3)
    }

    @Test func `A long wait at the start does not repeat itself, but for the worst`() throws {
        var finish = FinishEstimator()
        for second in 0...168 {
            finish.update(meters: 3 * Double(second), movingSeconds: Double(second))
        }
        // 502 m in 167 s, after 5 minutes of standing.
        let estimate = try #require(
            finish.estimate(
                raceKm: 10, meters: 502, gainMeters: 0, movingSeconds: 502 / 3,
                elapsedSeconds: 300 + 502 / 3))
        #expect(abs(estimate.expectedSeconds - (300 + 10_000 / 3)) < 1e-6)
        #expect(estimate.bestSeconds < estimate.expectedSeconds)
        #expect(estimate.worstSeconds > 2 * estimate.expectedSeconds)
    }

    @Test func `Once the distance is reached the finish stays at its mark`() throws {
        var finish = FinishEstimator()
        func estimate(_ raceKm: Double, at second: Double) -> FinishEstimate? {
            finish.estimate(
                raceKm: raceKm, meters: 3 * second, gainMeters: 0, movingSeconds: second,
                elapsedSeconds: second)
        }
        for second in stride(from: 0.0, through: 700, by: 7) {
            finish.follow(
                meters: 3 * second, elapsedSeconds: second, isMeasured: true, raceKm: 2)
        }
        let seconds = try #require(estimate(2, at: 900)?.expectedSeconds)
        #expect(abs(seconds - 2000 / 3) < 1e-9)
        #expect(estimate(2, at: 900)?.worstSeconds == seconds)
        #expect((estimate(5, at: 700)?.expectedSeconds ?? 0) > 1600, "another distance goes on")
        finish.follow(meters: 2107, elapsedSeconds: 703, isMeasured: true, raceKm: 1)
        #expect(estimate(1, at: 703) == nil, "passed before it was set: nobody knows when")
    }

    @Test func `Decoupling is the efficiency lost in the second half`() throws {
        var decoupling = Decoupling()
        for second in 0..<3600 {
            decoupling.add(meters: 3, beatsPerMinute: second < 1800 ? 140 : 147)
        }
        let expected = (1 - 140.0 / 147) * 100
        #expect(abs(try #require(decoupling.percent) - expected) < 0.1)
    }

    // MARK: Course

    private var course: Course {
        // 4 km north.
        let points = (0...40).map {
            Course.Point(latitude: 48 + Double($0) * 100 / 111_194.93, longitude: 11)
        }
        return Course(
            points: points,
            checkpoints: [
                .init(name: "bridge", latitude: points[10].latitude, longitude: 11),
                .init(name: "tower", latitude: points[30].latitude, longitude: 11),
            ])
    }

    @Test func `A checkpoint is reached 150 m before it along the course, once`() throws {
        var tracker = try #require(CourseTracker(CourseRoute(course)))
        var reached: [(name: String, meters: Double)] = []
        for meters in stride(from: 0.0, through: 4000, by: 10) {
            let fix = try Location(latitude: 48 + meters / 111_194.93, longitude: 11.0002)
            reached += tracker.update(fix).reached.map { ($0, meters) }
        }
        #expect(reached.map(\.name) == ["bridge", "tower"])
        #expect(reached.map { ($0.meters / 20).rounded() * 20 } == [860, 2860])
        #expect(tracker.progress(elapsedSeconds: 1, metersPerSecond: 3).checkpoint == nil)
    }

    @Test func `The next checkpoint is predicted by the mean speed`() throws {
        var tracker = try #require(CourseTracker(CourseRoute(course)))
        _ = tracker.update(try Location(latitude: 48 + 400 / 111_194.93, longitude: 11))
        let progress = tracker.progress(elapsedSeconds: 200, metersPerSecond: 2)
        #expect(progress.checkpoint == "bridge")
        #expect(abs((progress.predictedSeconds ?? 0) - 500) < 1)
    }

    @Test func `Off the course beyond 200 m`() throws {
        var tracker = try #require(CourseTracker(CourseRoute(course)))
        let degree = 111_194.93 * 0.66913  // meters a degree of longitude at 48°
        for (meters, isOff) in [(0.0, false), (199, false), (201, true), (160, true), (140, false)]
        {
            let fix = try Location(latitude: 48.01, longitude: 11 + meters / degree)
            _ = tracker.update(fix)
            #expect(tracker.isOffCourse == isOff, "\(meters)")
        }
    }

    @Test func `The finish of a loop is not where its start is`() throws {
        let degree = 111_194.93
        let corners = [(0.0, 0.0), (1000, 0), (1000, 1000), (0, 1000), (0, 0)]
        let points = corners.map {
            Course.Point(
                latitude: 48 + $0.0 / degree, longitude: 11 + $0.1 / (degree * 0.66913))
        }
        let loop = Course(
            points: points,
            checkpoints: [
                .init(
                    name: "half", latitude: points[2].latitude,
                    longitude: points[2].longitude)
            ])
        var tracker = try #require(CourseTracker(CourseRoute(loop)))
        // Nearer to the last side than to the first.
        let reached = tracker.update(
            try Location(latitude: 48 + 3 / degree, longitude: 11 + 12 / degree)
        ).reached
        #expect(reached.isEmpty)
        #expect(tracker.metersAlong < 10)
    }

    @Test func `A course of one point is none`() {
        let course = Course(points: [.init(latitude: 1, longitude: 1)])
        #expect(CourseTracker(CourseRoute(course)) == nil)
    }
}
