import FaultyDisk
import SensorModel
import Testing

@testable import SegmentLog

@Suite struct RetentionTimeTests {
    private static let configuration = LogFixture.configuration(segmentBytesMax: 10_000)
    private static let day = 86_400.0
    private static let year = 365 * day
    /// Arrival of the log's newest record; the oldest came five seconds earlier.
    private static let now = LogFixture.start.advanced(bySeconds: 5)

    /// A machine with two clocks, of which the one may be wrong.
    private struct Machine {
        var monotonic: UInt64 = 1_000_000
        var wall = RetentionTimeTests.now

        mutating func run(_ seconds: Double) {
            monotonic += UInt64(seconds * 1e6)
            wall = wall.advanced(bySeconds: seconds)
        }

        func time(of log: SegmentLog) -> RetentionTime {
            log.retentionTime(wall: wall, monotonic: monotonic)
        }
    }

    private func filled() throws -> LogFixture {
        var fixture = try LogFixture(configuration: Self.configuration)
        fixture.head()
        for _ in 0..<500 { fixture.append() }
        fixture.log.syncAppended()
        return fixture
    }

    /// Runs retention as the daemon does once a minute.
    private func retain(_ log: SegmentLog, _ machine: Machine) throws -> Int {
        let time = machine.time(of: log).time
        return try log.retain(
            arrivalBefore: time.advanced(bySeconds: -Self.year), bytesMax: nil
        ).segments
    }

    private func restart(_ fixture: inout LogFixture) throws {
        try fixture.restart(on: fixture.disk.killed(), Self.configuration)
    }

    // MARK: - Deletions by a wrong clock

    @Test(arguments: [false, true])
    func `A clock that is two years ahead deletes nothing, at a start or while running`(
        isAtStart: Bool
    ) throws {
        var fixture = try filled()
        var machine = Machine()
        if !isAtStart { #expect(try retain(fixture.log, machine) == 0) }
        if isAtStart { try restart(&fixture) }
        machine.wall = machine.wall.advanced(bySeconds: 2 * Self.year)
        for _ in 0..<24 * 60 {
            #expect(try retain(fixture.log, machine) == 0)
            machine.run(60)
        }
    }

    /// Records with the wrong clock are then the newest of the log.
    @Test func `Starts do not help a wrong clock, nor do records that arrive by it`() throws {
        var fixture = try filled()
        var machine = Machine()
        _ = try retain(fixture.log, machine)
        machine.wall = machine.wall.advanced(bySeconds: 2 * Self.year)
        for _ in 0..<50 {
            _ = fixture.log.append(
                .tick, session: LogFixture.runner, device: LogFixture.device, sequence: .none,
                deviceTime: machine.wall, arrivalTime: machine.wall, payload: [1].span)
            fixture.log.syncAppended()
            #expect(try retain(fixture.log, machine) == 0)
            machine.run(60)
            try restart(&fixture)
        }
    }

    @Test func `A clock that stays ahead is followed at the rate and no faster`() throws {
        let fixture = try filled()
        var machine = Machine()
        _ = try retain(fixture.log, machine)
        machine.wall = machine.wall.advanced(bySeconds: 2 * Self.year)
        let rate = Double(RetentionClock.rate)
        var deleted = 0
        var minutes = 0.0
        while deleted == 0 {
            machine.run(60)
            minutes += 1
            deleted = try retain(fixture.log, machine)
            try #require(minutes * 60 * rate < 2 * Self.year)
        }
        #expect(minutes * 60 * rate >= Self.year - 60)
        #expect((minutes - 1) * 60 * rate < Self.year)
    }

    // MARK: - Deletions by a right clock

    @Test func `Retention goes by a clock that does not jump`() throws {
        var fixture = try filled()
        var machine = Machine()
        for day in 0..<367 {
            let time = machine.time(of: fixture.log)
            #expect(time.time == machine.wall)
            #expect(time.secondsAhead == 0 && !time.hasChanged)
            if day == 364 { #expect(try retain(fixture.log, machine) == 0) }
            if day % 30 == 0 {
                try restart(&fixture)
                #expect(machine.time(of: fixture.log).time == machine.wall)
            }
            machine.run(Self.day)
        }
        #expect(try retain(fixture.log, machine) > 3)
    }

    @Test func `A machine that was off for a month catches up within 32 hours`() throws {
        var fixture = try filled()
        var machine = Machine()
        _ = machine.time(of: fixture.log)
        machine.wall = machine.wall.advanced(bySeconds: 30 * Self.day)
        try restart(&fixture)
        var changes: [Int] = []
        for hour in 0...32 {
            let time = machine.time(of: fixture.log)
            if time.hasChanged { changes.append(hour) }
            #expect((time.secondsAhead == 0) == (changes.count == 2), "hour \(hour)")
            machine.run(3600)
        }
        // The change is reported once and withdrawn once, while the clock goes on.
        #expect(changes.first == 0)
        #expect(changes.count == 2)
        #expect(fixture.log.usage.clockAheadSeconds == 0)
    }

    @Test func `A clock that is behind deletes less, and costs no years when it is right again`()
        throws
    {
        let fixture = try filled()
        var machine = Machine()
        _ = machine.time(of: fixture.log)
        let right = machine.wall
        machine.wall = Timestamp(microseconds: 0)
        machine.run(60)
        #expect(machine.time(of: fixture.log).time == machine.wall)
        machine.wall = right.advanced(bySeconds: 60)
        machine.run(60)
        #expect(machine.time(of: fixture.log).secondsAhead <= 25 * 60)
    }

    @Test func `No pair of clocks is refused`() {
        let times = [Int64.min, -1, 0, 1, Int64.max].map(Timestamp.init(microseconds:))
        for known in times {
            for wall in times {
                for monotonic in [0, 1, UInt64.max / 2, .max] {
                    var clock = RetentionClock(known: known, monotonic: 1)
                    let time = clock.advance(wall: wall, monotonic: monotonic)
                    #expect(time.time <= wall)
                    #expect(clock.believed >= min(known, wall))
                    #expect(clock.believed <= max(known, wall))
                }
            }
        }
    }

    // MARK: - The file

    @Test(arguments: [
        [], [1, 2, 3], [UInt8](repeating: 0, count: 12), [UInt8](repeating: 0xFF, count: 12),
    ])
    func `Without a whole file the time is the newest record's`(content: [UInt8]) throws {
        var fixture = try filled()
        var machine = Machine()
        _ = machine.time(of: fixture.log)
        fixture.disk.replace(RetentionTimeFile.name, with: content)
        try restart(&fixture)
        machine.wall = machine.wall.advanced(bySeconds: Self.year)
        #expect(machine.time(of: fixture.log).time == Self.now)
    }

    @Test func `A disk that stores no time is asked again, and retention goes on`() throws {
        let fixture = try filled()
        var machine = Machine()
        _ = machine.time(of: fixture.log)
        for call in 0..<6 {
            fixture.disk.fail(
                SimulatedDisk.Fault(
                    kind: .inputOutput, call: fixture.disk.calls + call, isForEver: true))
            machine.run(2 * 3600)
            #expect(machine.time(of: fixture.log).time == machine.wall, "call \(call)")
            fixture.disk.fail(nil)
            machine.run(60)
            #expect(machine.time(of: fixture.log).time == machine.wall)
            #expect(RetentionTimeFile.read(from: fixture.disk) == machine.wall, "call \(call)")
        }
        #expect(fixture.log.usage.failures == 6)
    }

    @Test func `A power loss leaves the time before or the time after`() throws {
        var random = SplitMix(state: 13)
        for call in 0..<8 {
            let fixture = try filled()
            var machine = Machine()
            let before = machine.time(of: fixture.log).time
            fixture.disk.fail(
                SimulatedDisk.Fault(
                    kind: .inputOutput, call: fixture.disk.calls + call, isForEver: true))
            machine.run(2 * 3600)
            _ = machine.time(of: fixture.log)
            let after = fixture.disk.crashed(&random)
            after.fail(nil)
            let stored = try #require(RetentionTimeFile.read(from: after))
            #expect(stored == before || stored == machine.wall, "call \(call)")
        }
    }
}
