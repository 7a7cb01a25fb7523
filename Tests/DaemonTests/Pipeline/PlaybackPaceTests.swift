import SensorModel
import Testing

@testable import Daemon
@testable import Runtime

/// Limits on viewers' playback commands.
@Suite struct PlaybackPaceTests {
    private static let now = Timestamp(microseconds: 1_760_000_000_000_000)
    private static let device = LinkParty.device(DeviceID(rawValue: 1))

    @Test func `What viewers of a device's links say is counted together`() {
        var pace = PlaybackPace()
        func said(by party: LinkParty, at now: Timestamp) -> Int {
            (0..<5000).count { _ in pace.admitsCommand(by: party, at: now) }
        }
        #expect(said(by: Self.device, at: Self.now) == 1000)
        #expect(said(by: .link(ShareKey(rawValue: 1)), at: Self.now) == 1000)
        #expect(said(by: Self.device, at: Self.now.advanced(bySeconds: 0.1)) == 100)
    }

    @Test func `A viewer, a device's links and all begin so many playbacks`() {
        var pace = PlaybackPace()
        var viewers = (UInt64(1)...).makeIterator()
        func begun(by party: LinkParty, viewers count: Int) -> Int {
            (0..<count).reduce(0) { sum, _ in
                let viewer = SubscriberID(rawValue: viewers.next() ?? 0)
                return sum + (0..<50).count { _ in pace.mayBegin(viewer, by: party, at: Self.now) }
            }
        }
        #expect(begun(by: Self.device, viewers: 1) == 10)
        #expect(begun(by: Self.device, viewers: 1000) == 90)
        let others = (2..<20).map {
            begun(by: .device(DeviceID(rawValue: UInt32($0))), viewers: 50)
        }
        #expect(others.reduce(0, +) == 400)
    }

    /// Each connection with `at=` counts as a new viewer.
    @Test func `Playbacks of a link's viewers are refused beyond that`() async throws {
        try await RunningDaemon.run { running in
            let playbacks = running.daemon.pipeline.playbacks
            let begun = (0..<400).count { number in
                let viewer = SubscriberID(rawValue: UInt64(number))
                defer { playbacks.stop(viewer) }
                return playbacks.obey(
                    [.pause(false)], of: viewer, watching: ShareKey(rawValue: 77))
            }
            #expect((100..<250).contains(begun))
        }
    }
}
