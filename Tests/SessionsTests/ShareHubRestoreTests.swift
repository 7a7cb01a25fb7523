@testable import SegmentLog
import SensorModel
import Sessions
import Sharing
import Testing

/// A start on a log of years: shares show the same as if they had followed every session.
@Suite struct ShareHubRestoreTests {
    /// Sessions of two devices in the order they began; they ended in any order.
    private static func sessions(seed: UInt64) -> [SessionSummary] {
        var state = seed
        func draw(below limit: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % limit
        }
        return (0..<300).map { number in
            let first = UInt64(1000 + number * 1000)
            let last = first + 1 + draw(below: 100_000)
            let times = FlowFixture.time(Double(first) / 100)...FlowFixture.time(Double(last) / 100)
            return SessionSummary(
                session: SessionID(high: UInt64(number), low: 0x8000_0000_0000_0000),
                device: draw(below: 3) == 0 ? DeviceID(rawValue: 99) : FlowFixture.device,
                firstOffset: RecordOffset(rawValue: first),
                lastOffset: RecordOffset(rawValue: last), records: 2, frames: 2,
                highestSequence: .none, deviceTimes: times, arrivalTimes: times)
        }
    }

    @Test(arguments: 1...20, [0, 3, 900])
    func `Only the sessions that began last are told to shares, and shares show the same`(
        seed: UInt64, delaySeconds: Int
    ) {
        let known = Self.sessions(seed: seed)
        let now = FlowFixture.time(10_000)
        var model = DeviceSessions()
        for session in known {
            model.began(session.session, of: session.device, at: session.arrivalTimes.lowerBound)
        }
        for session in known.sorted(by: { $0.lastOffset < $1.lastOffset }) {
            model.ended(
                session.session, of: session.device, at: session.arrivalTimes.upperBound,
                through: session.lastOffset)
        }
        let hub = ShareHub(send: { _, _, _ in }, views: { _ in nil })
        let share = FlowFixture.share(delaySeconds: delaySeconds)
        hub.put(share)
        hub.restore(known.reversed(), lost: nil, at: now)
        #expect(hub.session(shownBy: share, at: now) == model.session(shownBy: share, at: now))
        for offset in stride(from: UInt64(0), to: 420_000, by: 10_000) {
            let offset = RecordOffset(rawValue: offset)
            let open = hub.sessions(openTo: share, after: offset, at: now)
            #expect(open == model.sessions(openTo: share, after: offset, at: now))
        }
        #expect(hub.sessions(openTo: share, after: RecordOffset(rawValue: 0), at: now).count == 32)
    }
}
