import SensorModel
import Testing

@testable import Recordings

@Suite struct FITTests {
    /// 2025-11-21T04:40:00Z by FIT's clock.
    private static let second: UInt32 = 1_132_634_400

    private func read(_ bytes: [UInt8]) throws -> Recording {
        try Recording.read(name: "a.fit", contents: .file(bytes))
    }

    /// Wraps raw messages into a file with valid checksums.
    private func file(_ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [12, 0x10, 0, 0]
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: body.count >> (8 * $0)) }
        bytes += Array(".FIT".utf8) + body
        let check = FITCheck.value(of: bytes)
        return bytes + [UInt8(check & 0xFF), UInt8(check >> 8)]
    }

    private func big(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    /// Big-endian, with a compressed time that wraps around 32 s.
    @Test func `Big-endian data and compressed times are read`() throws {
        // Local 1: time and heart rate; local 2: heart rate alone, timed by its header.
        var body: [UInt8] = [0x41, 0, 1, 0, 20, 2, 253, 4, 0x86, 3, 1, 0x02]
        body += [0x42, 0, 1, 0, 20, 1, 3, 1, 0x02]
        body += [0x01] + big(Self.second) + [120]
        let low = UInt8(Self.second & 0x1F)
        body += [0x80 | 2 << 5 | (low &+ 1) & 0x1F, 121]
        body += [0x80 | 2 << 5 | (low &- 1) & 0x1F, 122]
        let recording = try read(file(body))
        #expect(recording.heartRates == [120, 121, 122])
        #expect(
            recording.frames.map { $0.deviceTime.seconds(since: SampleRun.start) } == [0, 1, 31])
        #expect(recording.notes.isEmpty)
    }

    /// Impossible heartbeats, and a compressed time with 255 fields.
    @Test(arguments: [[0x89, 8], [0x8F, 8]] as [[UInt8]])
    func `Values that no writer gives end nothing`(kind: [UInt8]) throws {
        let record: [UInt8] = [0x41, 0, 1, 0, 20, 2, 253, 4, 0x86, 3, 1, 0x02]
        let begin = record + [0x01] + big(Self.second) + [120]
        let beats: [UInt8] = [0x42, 0, 1, 0, 78, 1, 0, kind[1], kind[0]]
        let huge: [UInt8] = [0x7E, 0x37, 0xE4, 0x3C, 0x88, 0, 0x75, 0x9C]
        let wide: [UInt8] =
            [0x43, 0, 1, 0, 233, 255] + (0..<255).flatMap { [UInt8($0), 1, 2] as [UInt8] }
        let values = [0x80 | 3 << 5 | UInt8(Self.second & 0x1F)] + [UInt8](repeating: 1, count: 255)
        for value in [huge, [UInt8](repeating: 0xFE, count: 8), [0xFF, 0xEF] + huge.dropFirst(2)] {
            let body = begin + beats + [0x02] + value + wide + values
            #expect(try read(file(body)).heartRates == [120])
        }
    }

    @Test func `Chained files are one recording`() throws {
        let definition: [UInt8] = [0x41, 0, 1, 0, 20, 2, 253, 4, 0x86, 3, 1, 0x02]
        let first = file(definition + [0x01] + big(Self.second) + [120])
        let second = file(definition + [0x01] + big(Self.second + 9) + [130])
        #expect(try read(first + second).heartRates == [120, 130])
    }

    @Test func `A wrong check sum and an early end are told, not fatal`() throws {
        let definition: [UInt8] = [0x41, 0, 1, 0, 20, 2, 253, 4, 0x86, 3, 1, 0x02]
        let record = [0x01] + big(Self.second) + [120]
        var bytes = file(definition + record + record)
        let cut = try read(Array(bytes.dropLast(5)))
        #expect(cut.heartRates == [120])
        #expect(
            cut.notes == [
                "The FIT file ends early: 3 bytes are missing.",
                "The last message of the FIT file is cut off.",
            ])
        bytes[bytes.count - 1] ^= 1
        #expect(try read(bytes).notes == ["The FIT file's check sum is wrong."])
    }

    @Test func `What stands before the damage is kept`() throws {
        let definition: [UInt8] = [0x41, 0, 1, 0, 20, 2, 253, 4, 0x86, 3, 1, 0x02]
        let recording = try read(file(definition + [0x01] + big(Self.second) + [120, 0x0F, 1]))
        #expect(recording.heartRates == [120])
        #expect(
            recording.notes.first?.hasPrefix("Not a readable FIT file: data without a definition")
                == true)
    }

    @Test func `Zeros, impossible positions and times before 2000 are counted`() throws {
        var encoder = FITEncoder()
        func record(_ time: Double?, _ latitude: Double?, _ rate: Double?) {
            encoder.add(
                FITProfile.record, local: 0,
                [
                    FITField(253, .uint32, time), FITField(0, .sint32, latitude),
                    FITField(1, .sint32, latitude), FITField(3, .uint8, rate),
                ])
        }
        let time = Double(Self.second)
        record(time, 0, 0)
        record(time + 1, 2e9, 255)
        record(time + 2, 5e8, 100)
        record(1000, 5e8, 100)
        record(nil, 5e8, 100)
        let recording = try read(encoder.file())
        #expect(recording.frames.count == 2)
        #expect(
            recording.refused.counts == [
                "position 0, 0": 1, "heart rate of 0": 1, "position out of range": 1,
                "time before 2000": 1, "no time": 1,
            ])
    }

    @Test func `A clock that jumps by days keeps the longest stretch`() throws {
        var encoder = FITEncoder()
        for second in [0, 1, 2, 9_000_000, 9_000_001, 3] {
            encoder.add(
                FITProfile.record, local: 0,
                [
                    FITField(253, .uint32, Double(Self.second) + Double(second)),
                    FITField(3, .uint8, 100),
                ])
        }
        let recording = try read(encoder.file())
        #expect(recording.frames.count == 4)
        #expect(recording.durationSeconds == 3)
        #expect(recording.refused.counts == ["beyond a jump of the clock": 2])
        #expect(
            recording.notes == [
                "The clock ran backwards once; all was put in order of time.",
                "The clock jumps by more than a day; only the longest stretch was kept.",
            ])
    }

    @Test func `The device's own pauses are no commands`() throws {
        var encoder = FITEncoder()
        func timer(_ second: Double, _ type: Double, _ trigger: Double) {
            encoder.add(
                FITProfile.event, local: 1,
                [
                    FITField(253, .uint32, Double(Self.second) + second), FITField(0, .enum, 0),
                    FITField(1, .enum, type), FITField(3, .uint32, trigger),
                ])
        }
        func record(_ second: Double) {
            encoder.add(
                FITProfile.record, local: 0,
                [
                    FITField(253, .uint32, Double(Self.second) + second),
                    FITField(3, .uint8, 100),
                ])
        }
        timer(0, 0, 0)
        record(0)
        timer(10, 4, 1)
        timer(20, 0, 1)
        timer(30, 1, 0)
        timer(45, 0, 0)
        record(60)
        timer(60, 4, 0)
        let recording = try read(encoder.file())
        #expect(recording.pauses.map(\.automatic) == [true, false])
        #expect(recording.actions == [.pause, .resume])
        #expect(
            recording.frames.map { $0.deviceTime.seconds(since: SampleRun.start) }
                == [0, 30, 45, 60])
    }

    @Test func `A run goes out and comes back`() throws {
        let run = try SampleRun(seconds: 200)
        let recording = try read(run.export(.fit))
        let kept = run.session.points
        #expect(recording.notes.isEmpty && recording.refused.isEmpty)
        #expect(recording.locations.count == kept.count)
        for (location, point) in zip(recording.locations, kept) {
            #expect(abs(location.latitude - (point.latitude ?? 0)) < 2e-7)
            #expect(abs((location.altitude ?? 0) - (point.altitudeMeters ?? 0)) <= 0.1001)
            #expect(location.horizontalAccuracy == point.horizontalAccuracyMeters)
        }
        #expect(recording.heartRates == kept.compactMap(\.heartRate))
        #expect(recording.pauses == run.session.pauses)
        #expect(recording.laps.count == 2)
        #expect(recording.sport == "running")
        for (values, point) in zip(recording.deviceValues, kept) {
            #expect(abs((values.cadence ?? 0) - (point.cadence ?? 0)) < 0.01)
            #expect(values.distanceMeters == point.distanceMeters)
        }
    }

    @Test func `Beats belong to the heart rate after them, a hand's lap is a command`() throws {
        var encoder = FITEncoder()
        func record(_ second: Double) {
            encoder.add(
                FITProfile.record, local: 0,
                [
                    FITField(253, .uint32, Double(Self.second) + second),
                    FITField(3, .uint8, 60),
                ])
        }
        func lap(_ second: Double, _ trigger: Double) {
            encoder.add(
                FITProfile.lap, local: 2,
                [
                    FITField(253, .uint32, Double(Self.second) + second),
                    FITField(2, .uint32, Double(Self.second)), FITField(24, .enum, trigger),
                    FITField(8, .uint32, 10_000), FITField(9, .uint32, 5000),
                ])
        }
        record(0)
        encoder.add(FITProfile.hrv, local: 1, [FITField(0, .uint16, 1000)])
        encoder.add(FITProfile.hrv, local: 1, [FITField(0, .uint16, nil)])
        record(20)
        // Manual, by distance, manual at the end.
        lap(10, 0)
        lap(15, 2)
        lap(20, 0)
        let recording = try read(encoder.file())
        guard case .heartRate(let sample) = recording.frames.last?.payload else {
            return #expect(Bool(false))
        }
        #expect(sample.rrIntervals == [1024])
        #expect(recording.actions == [.lap])
        #expect(recording.laps.map(\.distanceMeters) == [50, 50, 50])
    }

    @Test(arguments: [(80.0, 1.0, 160.0), (170, 1, 170), (80, 2, nil)])
    func `Cadence is of both feet, and of none on a bicycle`(
        written: Double, sport: Double, steps: Double?
    ) throws {
        var encoder = FITEncoder()
        encoder.add(
            FITProfile.record, local: 0,
            [
                FITField(253, .uint32, Double(Self.second)), FITField(3, .uint8, 60),
                FITField(4, .uint8, written),
            ])
        encoder.add(FITProfile.session, local: 1, [FITField(5, .enum, sport)])
        #expect(try read(encoder.file()).deviceValues.first?.cadence == steps)
    }
}
