import SegmentLog
import SensorModel
import Sharing
import Testing

@testable import Sessions

/// The state that a share shows of a session that is not in memory.
@Suite struct LatestFromLogTests {
    private static let far = PrivacySettings(
        zones: [PrivacyZone(name: "far", latitude: 10, longitude: 10, radiusMeters: 100)],
        trimStartMeters: 0, trimFinishMeters: 0, salt: 1)
    private static let start = PrivacySettings(
        zones: [PrivacyZone(name: "start", latitude: 48, longitude: 11.5, radiusMeters: 100)],
        trimStartMeters: 0, trimFinishMeters: 0, salt: 1)

    /// 40 seconds are shorter than the log's snapshot interval; 250 seconds have four snapshots.
    @Test(arguments: [PrivacySettings.none, far, start], [40, 250])
    func `The log tells what memory shows`(privacy: PrivacySettings, seconds: Int) throws {
        let fixture = try FlowFixture()
        fixture.said.privacy = privacy
        try fixture.run(seconds: seconds)
        let log = fixture.flow.log
        log.syncAppended()
        let summary = try #require(log.summary(of: FlowFixture.session))
        let rule = ProjectionRule(privacy)
        let live = try #require(fixture.live?.views.fields(hidingPlaces: rule != .everything))
        let index = try ProjectionIndex.reading(
            summary, rule: rule, reader: log.reader(), now: fixture.flow.now)
        for index in [nil, index] {
            let records = ShownRecords(
                summary, rule: rule, index: index, reader: log.reader(), epoch: log.epoch)
            let found = try records.fields(
                at: Timestamp(microseconds: .max), arrivedBy: nil, now: fixture.flow.now)?.fields
            guard live.everything.isKnown else {
                #expect(found == nil)
                continue
            }
            let told = try #require(found?.everything)
            #expect(told.cursor == live.everything.cursor)
            #expect(told.time == live.everything.time)
            func texts(_ update: SessionUpdate) -> [String] {
                update.changed.map { String(decoding: $0.bytes, as: UTF8.self) }.sorted()
            }
            #expect(texts(told) == texts(live.everything))
        }
    }
}
