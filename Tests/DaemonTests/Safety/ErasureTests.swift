import Client
import Runtime
import SegmentLog
import SensorModel
import Testing
import Transport
import WireFormat

@testable import Daemon

/// What becomes of a watch whose session somebody erases.
@Suite struct ErasureTests {
    private static let session = SessionID(high: 0x4000, low: 0x8000_0000_0000_0000)

    @Test func `It is turned away until its session is gone, and then begins anew`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let pipeline = running.daemon.pipeline
            try await running.sendHeartRates([120, 121], token: token, session: Self.session)
            let first = try #require(pipeline.log.summary(of: Self.session)?.firstOffset)

            // As while its segments are written again.
            _ = await pipeline.mailbox.ask { $0.erasing.insert(Self.session).inserted }
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

            // A real one ends what this one began.
            _ = try await running.daemon.administration.deleteSession(Self.session)
            #expect(pipeline.log.summary(of: Self.session) == nil)
            try await running.sendHeartRates([122, 123], token: token, session: Self.session)
            let second = try #require(pipeline.log.summary(of: Self.session)?.firstOffset)
            #expect(second > first)
        }
    }
}
