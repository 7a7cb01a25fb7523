import SensorModel
import Testing

@Suite struct StrideCalibrationTests {
    typealias Record = StrideCalibration.Record

    /// Five records of 100 m by a runner whose steps are 0.005 × cadence + 0.2 m long.
    private static let records = [150.0, 160, 170, 175, 180].map { cadence in
        let steps = (100 / (0.005 * cadence + 0.2)).rounded()
        return Record(steps: Int(steps), seconds: steps * 60 / cadence)
    }

    @Test func `The line goes through the records`() throws {
        let line = try #require(StrideCalibration(records: Self.records))
        #expect(abs(line.slope - 0.005) < 0.0003)
        for record in Self.records {
            let cadence = Double(record.steps) * 60 / record.seconds
            #expect(abs(line.slope * cadence + line.intercept - 100 / Double(record.steps)) < 0.005)
        }
    }

    @Test(
        arguments: [
            [], Array(records.prefix(4)), Array(repeating: records[0], count: 5),
            records.dropLast() + [Record(steps: 19, seconds: 40)],
            records.dropLast() + [Record(steps: 90, seconds: 9.9)],
            records.dropLast() + [Record(steps: 90, seconds: .infinity)],
            Array(repeating: records, count: 21).flatMap(\.self),
            records.dropLast() + [Record(steps: .max, seconds: 10)],
            [100, 101, 102, 103, 20].map { Record(steps: $0, seconds: 10) },
        ] as [[Record]]) func `Too few, too short or equal records have no line`(records: [Record])
    {
        #expect(StrideCalibration(records: records) == nil)
    }

    @Test func `Records and a line are read from text, and the line is written so`() throws {
        let text = Self.records.map { "\($0.steps)/\($0.seconds)" }.joined(separator: ", ")
        let line = try #require(StrideCalibration(text: text))
        #expect(line == StrideCalibration(records: Self.records))
        #expect(StrideCalibration(text: line.text) == line)
        let falling = StrideCalibration(slope: -0.002, intercept: 1.3)
        #expect(falling.text == "-0.002*cadence+1.3")
        #expect(StrideCalibration(text: falling.text) == falling)
        let negative = StrideCalibration(slope: 0.01, intercept: -0.5)
        #expect(StrideCalibration(text: negative.text) == negative)
    }

    @Test(arguments: [
        "", "125/48", "125/48,130/45,140/42,150/40", "125/48,130/45,140/42,150/40,x/3",
        "125/48,130/45,140/42,150/40,", "125/48/2,130/45,140/42,150/40,160/35", "1*cadence+0.3",
        "0.004*cadence+9", "0.004*cadence", "nan*cadence+0.3", "0.004*cadence+inf", "0.004",
    ]) func `Other text is none`(text: String) {
        #expect(StrideCalibration(text: text) == nil)
    }
}
