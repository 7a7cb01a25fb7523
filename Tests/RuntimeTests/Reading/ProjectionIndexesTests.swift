@testable import Runtime
@testable import SegmentLog
import SensorModel
import Sharing
import Testing

@Suite struct ProjectionIndexesTests {
    private let rule = ProjectionRule(
        PrivacySettings(zones: [], trimStartMeters: 200, trimFinishMeters: 0, salt: 7))

    private func summary(firstOffset: UInt64) -> SessionSummary {
        let time = Timestamp(microseconds: 1_763_700_000_000_000)
        return SessionSummary(
            session: SessionID(high: 1, low: 2), device: DeviceID(rawValue: 1),
            firstOffset: RecordOffset(rawValue: firstOffset),
            lastOffset: RecordOffset(rawValue: firstOffset + 9), records: 10, frames: 5,
            highestSequence: .none, deviceTimes: nil, arrivalTimes: time...time)
    }

    /// A reader may be in the middle of a session while it is erased, and keep its index after.
    @Test func `An index kept after its session was erased is not used for a new one of that ID`() {
        let indexes = ProjectionIndexes()
        let erased = summary(firstOffset: 10)
        indexes.forget([erased.session])
        indexes.keep(ProjectionIndex(rule), of: erased, by: rule)
        #expect(indexes.index(of: erased, by: rule) != nil)
        #expect(indexes.index(of: summary(firstOffset: 50), by: rule) == nil)
        indexes.forget([erased.session])
        #expect(indexes.index(of: erased, by: rule) == nil)
    }
}
