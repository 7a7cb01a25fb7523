import Foundation
import SensorModel
import Testing

@testable import API
@testable import SegmentLog

@Suite struct SessionRowTests {
    /// Seconds of silence, and whether the row says since when.
    @Test(arguments: [(0.0, false), (59, false), (60, true), (599, true), (601, false)])
    func `A live session that is silent for a minute says since when`(
        silence: Double, isTold: Bool
    ) throws {
        let last = Timestamp(microseconds: 1_760_000_000_000_000)
        let summary = SessionSummary(
            session: SessionID(high: 1, low: 2), device: DeviceID(rawValue: 1),
            firstOffset: RecordOffset(rawValue: 1), lastOffset: RecordOffset(rawValue: 2),
            records: 2, frames: 1, highestSequence: .none, deviceTimes: nil,
            arrivalTimes: last...last)
        let row = SessionRow(
            summary, epoch: 1, device: "ann", totals: nil, note: nil, silence: silence,
            silenceMax: 600)
        let json = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(row)) as? [String: Any])
        #expect(json["silentSince"] as? Double == (isTold ? 1_760_000_000 : nil))
        #expect(json["state"] as? String == (silence > 600 ? "ended" : "live"))
    }
}
