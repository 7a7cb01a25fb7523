import Client
import Foundation
import NIOCore
import SensorModel
import Sessions
import Synchronization
import Testing
import WireFormat

@testable import Daemon
@testable import Runtime
@testable import Transport

/// What holds however many event loops share the connections.
@Suite struct EventLoopsTests {
    private static let counts = [1, 2, 4]

    /// An answer that a device does not expect; `nil`: the end.
    private struct Surprise: Error {
        let answer: DeviceAnswer?
        var sent = 0
        var acked = 0
    }

    /// A device's connection, with the number of the last frame that is known to be on disk.
    private struct Watch {
        let client: DeviceClient
        var acked = 0

        init(_ running: RunningDaemon, _ token: String, session: SessionID) async throws {
            client = try await DeviceClient.connect(
                to: try running.address(.tcp), format: .text)
            try await client.send(Hello(token: token, session: session))
            for try await answer in client.answers {
                guard case .welcome(let number, _) = answer else {
                    throw Surprise(answer: answer)
                }
                acked = Int(number.rawValue)
                return
            }
            throw Surprise(answer: nil)
        }

        /// Sends the markers of those numbers together.
        func send(_ numbers: ClosedRange<Int>) async throws {
            let start = WallClock.now().secondsSince1970
            let lines = numbers.map {
                #"{"type":"marker","text":"\#($0)","timestamp":\#(start),"seq":\#($0)}"#
            }
            try await client.send(text: Array(lines.joined(separator: "\n").utf8))
        }

        mutating func wait(for number: Int) async throws {
            guard acked < number else { return }
            do {
                for try await answer in client.answers {
                    guard case .ack(let sequence) = answer else {
                        throw Surprise(answer: answer, sent: number, acked: acked)
                    }
                    acked = Int(sequence.rawValue)
                    if acked >= number { return }
                }
            } catch ClientError.connectionLost {
                throw Surprise(answer: nil, sent: number, acked: acked)
            }
            throw Surprise(answer: nil)
        }

        /// The code with which the daemon ends the connection.
        func endCode() async -> UInt16? {
            var code: UInt16?
            do {
                for try await answer in client.answers {
                    if case .error(let said, _) = answer { code = said }
                }
            } catch ClientError.closed(let said) { code = said } catch {}
            return code
        }
    }

    /// Numbers of connections, by loop.
    private static func connections(of running: RunningDaemon) async throws -> [Int] {
        var counts: [Int] = []
        for state in running.daemon.pipeline.loops.states {
            counts.append(
                try await state.eventLoop.submit { state.value.connections.count }.get())
        }
        return counts
    }

    /// Numbers of the markers that a viewer is shown, until `last`.
    private static func markers(
        at viewer: ViewerClient, until last: Int
    ) async throws -> [Int] {
        var numbers: [Int] = []
        for try await text in viewer.events {
            guard let parts = text.firstMatch(of: /"event":"marker".*?"text":"(\d+)"/) else {
                continue
            }
            numbers.append(Int(parts.1) ?? 0)
            if numbers.last == last { break }
        }
        return numbers
    }

    private static func closeCode(_ viewer: ViewerClient) async -> UInt16? {
        do {
            for try await _ in viewer.events {}
        } catch ClientError.closed(let code) { return code } catch {}
        return nil
    }

    @Test(arguments: counts)
    func `A session is taken over by connections on any loop, in the middle of its frames`(
        loops: Int
    ) async throws {
        try await RunningDaemon.run({ $0.eventLoops = loops }) { running in
            let token = try running.addDevice("anna")
            let session = SessionID(high: 7, low: 1)
            var watch = try await Watch(running, token, session: session)
            for round in 1...9 {
                // The next connection comes while these are on their way.
                try await watch.send((watch.acked + 1)...(60 * round))
                let next = try await Watch(running, token, session: session)
                #expect(next.acked >= watch.acked)
                #expect(await watch.endCode() == 4009)
                await watch.client.close()
                watch = next
            }
            try await watch.send((watch.acked + 1)...600)
            try await watch.wait(for: 600)
            await watch.client.close()
            let counters = running.daemon.pipeline.counters.flow
            #expect(counters.framesRecorded.load(ordering: .relaxed) == 600)
            #expect(counters.gaps.load(ordering: .relaxed) == 0)
        }
    }

    @Test(arguments: counts)
    func `Viewers on all loops are shown each event once and in order, and closed by its end`(
        loops: Int
    ) async throws {
        try await RunningDaemon.run({ $0.eventLoops = loops }) { running in
            let token = try running.addDevice("anna")
            let id = try running.addShare(of: "anna") { $0.name = "link" }
            var viewers: [ViewerClient] = []
            for _ in 0..<8 { viewers.append(try await running.socket("/v1/shares/\(id)/live")) }
            let isIn = try await running.eventually {
                running.daemon.pipeline.counters.viewers.load(ordering: .relaxed) == 8
            }
            #expect(isIn)
            let places = try await Self.connections(of: running)
            #expect(places.count == loops && places.allSatisfy { $0 >= 8 / loops }, "\(places)")
            var watch = try await Watch(running, token, session: SessionID(high: 7, low: 1))
            for first in stride(from: 1, through: 300, by: 30) {
                try await watch.send(first...(first + 29))
            }
            try await watch.wait(for: 300)
            for (index, viewer) in viewers.enumerated() {
                let seen = try await Self.markers(at: viewer, until: 300)
                #expect(seen == Array(1...300), "viewer \(index)")
            }
            let share = try #require(running.daemon.accounts.shares.first { $0.name == "link" })
            try running.daemon.administration.revokeShare(share)
            for viewer in viewers { #expect(await Self.closeCode(viewer) == 4010) }
            await watch.client.close()
        }
    }

    @Test(arguments: counts)
    func `A stop reaches all loops, and what was acknowledged is there after the next start`(
        loops: Int
    ) async throws {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var (tokens, watches, viewers): ([String], [Watch], [ViewerClient]) = ([], [], [])
        try await RunningDaemon.again(in: folder, { $0.eventLoops = loops }) { running in
            for number in 0..<6 {
                tokens.append(try running.addDevice("device-\(number)"))
                let id = try running.addShare(of: "device-\(number)")
                viewers.append(try await running.socket("/v1/shares/\(id)/live"))
                var watch = try await Watch(
                    running, tokens[number], session: RunningDaemon.session(number))
                try await watch.send(1...50)
                try await watch.wait(for: 20)
                watches.append(watch)
            }
            let places = try await Self.connections(of: running)
            #expect(places.allSatisfy { $0 > 0 }, "\(places)")
        }
        for index in watches.indices {
            #expect(await watches[index].endCode() == 1012)
            await watches[index].client.close()
            #expect(await Self.closeCode(viewers[index]) == 1001)
        }
        try await RunningDaemon.again(in: folder, { $0.eventLoops = loops }) { running in
            for (number, before) in watches.enumerated() {
                let watch = try await Watch(
                    running, tokens[number], session: RunningDaemon.session(number))
                #expect(watch.acked >= before.acked && watch.acked >= 20)
                await watch.client.close()
            }
        }
    }
}
