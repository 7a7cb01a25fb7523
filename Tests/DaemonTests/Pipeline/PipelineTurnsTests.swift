import Client
import Foundation
import SensorModel
import Sessions
import Synchronization
import Testing
import Transport
import WireFormat

@testable import Daemon
@testable import Runtime

@Suite struct PipelineTurnsTests {
    /// Sends markers 1 to `count` over a new connection and waits until all are acknowledged.
    private static func send(
        _ count: Int, of session: UInt64 = 1, every pause: Duration?, token: String,
        to running: RunningDaemon
    ) async throws {
        let client = try await DeviceClient.connect(to: try running.address(.tcp), format: .text)
        try await client.send(Hello(token: token, session: SessionID(high: 7, low: session)))
        let start = WallClock.now().secondsSince1970
        for number in 1...count {
            let line =
                #"{"type":"marker","text":"m","timestamp":\#(start + Double(number) / 1000),"seq":\#(number)}"#
            try await client.send(text: Array(line.utf8))
            if let pause { try await Task.sleep(for: pause) }
        }
        for try await answer in client.answers {
            if case .ack(let sequence) = answer, sequence.rawValue >= count { break }
        }
        await client.close()
    }

    @Test func `Lone frames are worked off by the loop that reads them`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("anna")
            let counters = running.daemon.pipeline.counters
            try await Self.send(60, every: .milliseconds(5), token: token, to: running)
            #expect(counters.flow.framesRecorded.load(ordering: .relaxed) == 60)
            #expect(counters.loopTurns.load(ordering: .relaxed) >= 30)
        }
    }

    @Test(arguments: [1, 2, 4])
    func `Every frame is recorded once, whoever takes the turns`(loops: Int) async throws {
        try await RunningDaemon.run({ $0.eventLoops = loops }) { running in
            let tokens = try (0..<8).map { try running.addDevice("device-\($0)") }
            try await withThrowingTaskGroup { group in
                for (index, token) in tokens.enumerated() {
                    group.addTask {
                        try await Self.send(
                            400, of: UInt64(index), every: index % 2 == 0 ? nil : .milliseconds(1),
                            token: token, to: running)
                    }
                }
                try await group.waitForAll()
            }
            let counters = running.daemon.pipeline.counters
            #expect(counters.flow.framesRecorded.load(ordering: .relaxed) == 3200)
            #expect(counters.flow.framesDuplicate.load(ordering: .relaxed) == 0)
            #expect(counters.loopTurns.load(ordering: .relaxed) > 0)
        }
    }
}
