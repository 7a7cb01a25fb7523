import Foundation
import Synchronization
import Testing
import Transport

@testable import Daemon
@testable import Runtime

@Suite struct HeartbeatsTests {
    private static func beat(_ mark: UInt64, idle: Bool = false) -> [Heartbeats.Beat] {
        [Heartbeats.Beat(stage: "pipeline", mark: mark, isIdle: idle)]
    }

    @Test func `A stage is stuck when it has work and has not moved since the last look`() {
        var hearts = Heartbeats()
        #expect(hearts.stuck(Self.beat(1)) == [], "nothing to compare with yet")
        #expect(hearts.stuck(Self.beat(2)) == [])
        #expect(hearts.stuck(Self.beat(2)) == ["pipeline"])
        #expect(hearts.stuck(Self.beat(2, idle: true)) == [], "nothing waits for it")
        #expect(hearts.stuck(Self.beat(2)) == ["pipeline"])
        #expect(hearts.stuck(Self.beat(3)) == [], "it moves again")
    }

    @Test func `A running daemon's stages move or are idle, and a hung pipeline is named`()
        async throws
    {
        try await RunningDaemon.run { running in
            let pipeline = running.daemon.pipeline
            var hearts = Heartbeats()
            for _ in 0..<3 {
                // The loops answer the last heartbeat before the next one is sent.
                let isAnswered = try await running.eventually {
                    pipeline.loops.links.allSatisfy { !$0.pulse.isOwed }
                        && pipeline.counters.isAsleep.load(ordering: .relaxed)
                }
                #expect(isAnswered)
                #expect(hearts.stuck(pipeline.beats()) == [])
            }
            let release = DispatchSemaphore(value: 0)
            let began = Atomic<Bool>(false)
            pipeline.mailbox.post { _ in
                began.store(true, ordering: .relaxed)
                release.wait()
            }
            #expect(try await running.eventually { began.load(ordering: .relaxed) })
            _ = hearts.stuck(pipeline.beats())
            #expect(hearts.stuck(pipeline.beats()).contains("pipeline"))
            release.signal()
        }
    }
}
