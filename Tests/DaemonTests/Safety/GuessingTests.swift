import Client
import Logging
import SensorModel
import Sharing
import Testing
import Transport

@testable import Daemon
@testable import Runtime
@testable import API

/// Guessing of IDs and tokens, with tens of thousands of attempts.
@Suite(.serialized) struct GuessingTests {
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    private struct Verdicts {
        var hits = 0
        var refusals = 0
        var waits = 0

        var all: Int { hits + refusals + waits }
    }

    private static func service(_ running: RunningDaemon) -> ViewerService {
        let pipeline = running.daemon.pipeline
        return ViewerService(
            accounts: running.daemon.accounts, reader: pipeline.reader,
            playbacks: pipeline.playbacks, clock: WallClock.now)
    }

    private static func devices(_ running: RunningDaemon) -> DeviceService {
        DeviceService(
            accounts: running.daemon.accounts, catalog: running.daemon.pipeline.catalog,
            clock: WallClock.now, logger: Logger(label: "test"))
    }

    /// One half of the guesses come from one address, the other from a thousand addresses.
    private static func peer(_ guess: Int) throws -> PeerAddress {
        let text = guess % 2 == 0 ? "203.0.113.9" : "198.51.\(guess / 2 % 4).\(guess / 8 % 250)"
        return try #require(PeerAddress(text))
    }

    @Test func `A hundred thousand wrong IDs and twenty thousand wrong tokens open nothing`()
        async throws
    {
        try await RunningDaemon.run {
            $0.bounds.failuresPerMinuteMax = 10
        } _: { running in
            let token = try running.addDevice("ann")
            let id = try running.addShare(of: "ann")
            let viewer = try await running.socket("/v1/shares/\(id)/live")
            var events = viewer.events.makeAsyncIterator()
            #expect(try await events.next()?.contains("snapshot") == true)
            let (service, devices) = (Self.service(running), Self.devices(running))

            var ids = Verdicts()
            var generator = Seeded(state: 2026)
            for guess in 0..<100_000 {
                let wrong = ShareID(using: &generator).text
                switch service.find(wrong, peer: try Self.peer(guess)) {
                case .success: ids.hits += 1
                case .failure(.unknown): ids.refusals += 1
                case .failure(.tooMany): ids.waits += 1
                }
            }
            var tokens = Verdicts()
            for guess in 0..<20_000 {
                let wrong =
                    "pc_" + ShareID(using: &generator).text
                    + ShareID(using: &generator).text.prefix(21)
                switch devices.knows(token: wrong, peer: try Self.peer(guess)) {
                case .success: tokens.hits += 1
                case .failure(.tooMany): tokens.waits += 1
                case .failure: tokens.refusals += 1
                }
            }
            #expect(ids.hits == 0 && tokens.hits == 0)
            #expect(ids.all == 100_000 && tokens.all == 20_000)
            // The limit is ten a minute and address; the bounds allow for the minutes of this run.
            #expect(ids.waits > 60_000 && tokens.waits > 8000)

            // A valid ID still works from the address that guesses.
            let guesser = try Self.peer(0)
            guard case .success = service.find(id, peer: guesser) else {
                Issue.record("a good viewer is locked out")
                return
            }
            guard case .success = devices.knows(token: token, peer: guesser) else {
                Issue.record("a good device is locked out")
                return
            }
            try await running.sendHeartRates(
                [151], token: token, session: SessionID(high: 0x4012, low: 1 << 63))
            var isServed = false
            while !isServed, let event = try await events.next() {
                isServed = event.contains(#""bpm":151"#)
            }
            #expect(isServed)
            await viewer.close()
        }
    }

    @Test func `Over HTTP the eleventh guess of a minute is told to wait, a good ID is not`()
        async throws
    {
        try await RunningDaemon.run {
            $0.bounds.failuresPerMinuteMax = 10
        } _: { running in
            let token = try running.addDevice("ann")
            let id = try running.addShare(of: "ann")
            var generator = Seeded(state: 7)
            var statuses: [Int] = []
            for _ in 0..<30 {
                let wrong = ShareID(using: &generator).text
                let answer = try await running.ask(.get, "/v1/shares/\(wrong)/latest")
                statuses.append(answer.status)
                if answer.status == 429 { #expect(answer.fields["retry-after"] != nil) }
            }
            #expect(statuses == Array(repeating: 404, count: 10) + Array(repeating: 429, count: 20))
            #expect(try await running.ask(.get, "/v1/shares/\(id)/latest").status == 200)
            #expect(try await running.ask(.get, "/v1/me", token: token).status == 200)
        }
    }
}
