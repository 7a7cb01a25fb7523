import Client
import Registry
import Runtime
import SegmentLog
import SensorModel
import Testing
import Transport
import WireFormat

@testable import Daemon

/// Behavior of a watch after its session is erased.
@Suite struct ErasureTests {
    private static let session = SessionID(high: 0x4000, low: 0x8000_0000_0000_0000)

    @Test func `It is turned away until its session is gone, and then begins anew`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let pipeline = running.daemon.pipeline
            try await running.sendHeartRates([120, 121], token: token, session: Self.session)
            let first = try #require(pipeline.log.summary(of: Self.session)?.firstOffset)

            // The same state as while the session's segments are being rewritten.
            let device = try #require(running.daemon.accounts.device(named: "ann")).id
            _ = await pipeline.mailbox.ask { $0.beginErasing([Self.session: device]) }
            let door = try running.address(.tcp)
            let client = try await DeviceClient.connect(to: door, format: .text)
            try await client.send(Hello(token: token, session: Self.session))
            var answers: [DeviceAnswer] = []
            for try await answer in client.answers {
                answers.append(answer)
                if case .welcome = answer { break }
            }
            guard case .error(code: CloseCode.goingAway.rawValue, reason: _)? = answers.first else {
                Issue.record("not turned away: \(answers)")
                return
            }
            #expect(answers.count == 1)

            // The end of one erasure does not end another.
            _ = try await running.daemon.administration.deleteSession(Self.session)
            #expect(pipeline.log.summary(of: Self.session) == nil)
            #expect(await pipeline.mailbox.ask { $0.isErasing(Self.session) } == true)
            _ = await pipeline.mailbox.ask { $0.endErasing([Self.session: device]) }
            try await running.sendHeartRates([122, 123], token: token, session: Self.session)
            let second = try #require(pipeline.log.summary(of: Self.session)?.firstOffset)
            #expect(second > first)
        }
    }

    @Test func `Who watches the recording of a session that is erased is back at the live stream`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            try await running.sendHeartRates(
                Array(100..<200), token: token, session: Self.session)
            let moment = WallClock.now().secondsSince1970 - 60
            let socket = try await running.socket(
                "/v1/shares/\(share)/live?at=\(moment)&speed=4")
            var events = socket.events.makeAsyncIterator()
            let first = try #require(try await events.next())
            #expect(first.contains(#""bpm""#))
            _ = try await running.daemon.administration.deleteSession(Self.session)
            // A queue that had been read ahead would last for another 25 s.
            var later: [String] = []
            while later.count < 40, !(later.last?.contains(#""type":"snapshot""#) ?? false) {
                later.append(try #require(try await events.next()))
            }
            #expect(later.last?.contains(#""bpm""#) == false, "\(later)")
            await socket.close()
        }
    }
}
