import Client
import Registry
import SensorModel
import Sharing
import Synchronization
import Testing
import Transport

@testable import Daemon
@testable import Runtime

/// Limits that keep one owner or viewer from exhausting the daemon.
@Suite struct BoundsTests {
    @Test(arguments: [
        (#"{"seek":5}"#, [PlaybackCommand.seek(Timestamp(microseconds: 5_000_000))]),
        (#"{"seek":1,"speed":1}"#, [.speed(1), .seek(Timestamp(microseconds: 1_000_000))]),
        (#"{"pause":true,"speed":64}"#, [.speed(64), .pause(true)]),
        (#"{"live":true}"#, [.live]), (#"{"live":true,"x":1}"#, [.live]),
    ])
    func `A viewer's command may say several things`(text: String, commands: [PlaybackCommand]) {
        #expect(PlaybackCommand.commands(in: Array(text.utf8)) == commands)
    }

    @Test(arguments: [
        #"{"seek":1,"speed":-1}"#, #"{"speed":65}"#, #"{"speed":"1"}"#, #"{"seek":"now"}"#,
        #"{"seek":1e300}"#, #"{"pause":"no"}"#, #"{"live":false}"#, #"{"live":true,"seek":1}"#,
        "{}", "[]", "1", "", #"{"seek":null}"#,
    ])
    func `A command of which a part is wrong is none`(text: String) {
        #expect(PlaybackCommand.commands(in: Array(text.utf8)) == nil)
    }

    @Test func `A device has so many shares, and those that are over do not count`() async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let administration = running.daemon.administration
            let device = try administration.known("ann")
            func make() throws -> Share {
                try administration.createShare(
                    ShareRequest(), of: .device(device.id), stem: "ann"
                ).share
            }
            let shares = try (0..<64).map { _ in try make() }
            let refusal = ShareError.tooManyOfDevice(max: 64)
            #expect(throws: refusal) { try make() }
            try administration.revokeShare(shares[0])
            _ = try make()
            #expect(throws: refusal) { try make() }
        }
    }

    @Test func `Shares that are over are kept for a while, and not for ever`() async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let administration = running.daemon.administration
            let device = try administration.known("ann")
            for _ in 0..<205 {
                let made = try administration.createShare(
                    ShareRequest(), of: .device(device.id), stem: "ann")
                try administration.revokeShare(made.share)
            }
            #expect(running.daemon.accounts.shares.count == 201)
        }
    }

    /// Until it is revoked, the owner's other shares hide the same places because of it.
    @Test func `An expired share with positions stays until it is revoked`() async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let administration = running.daemon.administration
            let device = try administration.known("ann")
            func make(_ change: (inout ShareRequest) -> Void) throws -> Share {
                var request = ShareRequest()
                change(&request)
                return try administration.createShare(
                    request, of: .device(device.id), stem: "ann"
                ).share
            }
            let placed = try make {
                $0.scope = .all
                $0.expiresInSeconds = 0.001
            }
            let numbers = try make { $0.scope = [.metrics] }
            for _ in 0..<205 { try administration.revokeShare(make { $0.scope = [.heartRate] }) }
            func hidesPlaces() -> Bool {
                running.daemon.accounts.shares.contains {
                    $0.key == numbers.key && $0.hidesPlaces
                }
            }
            #expect(hidesPlaces())
            try administration.revokeShare(placed)
            #expect(!hidesPlaces())
        }
    }

    /// Such a group would not keep its promise: a group shows what its members show.
    @Test(arguments: [
        (#""scope":"heartRate""#, 400), (#""delay":"10m""#, 400), (#""name":"g""#, 201),
    ])
    func `A group with a scope or a delay of its own is refused`(
        field: String, status: Int
    ) async throws {
        try await RunningDaemon.run { running in
            for name in ["ann", "bob"] {
                _ = try running.addDevice(name)
                _ = try running.addShare(of: name) { $0.name = name }
            }
            let answer = try await running.admin(
                .post, "/shares/group", #"{"shares":["ann:ann","bob:bob"],\#(field)}"#)
            #expect(answer.status == status)
        }
    }

    @Test func `A share's name tells nothing of other devices' shares`() async throws {
        try await RunningDaemon.run { running in
            let administration = running.daemon.administration
            var wish = ShareRequest()
            wish.name = "evening"
            for name in ["ann", "bob"] {
                _ = try running.addDevice(name)
                let device = try administration.known(name)
                _ = try administration.createShare(wish, of: .device(device.id), stem: name)
                #expect(throws: ShareError.nameTaken("evening")) {
                    try administration.createShare(wish, of: .device(device.id), stem: name)
                }
            }
            #expect(throws: ShareError.nameAmbiguous("evening", of: ["ann", "bob"])) {
                try administration.share(namedOrID: "evening")
            }
            let bobs = try administration.share(namedOrID: "bob:Evening")
            #expect(bobs.device == (try administration.known("bob").id))
        }
    }

    @Test func `Deletions that come while the log is rewritten are one rewrite`() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let batches = Mutex<[Int]>([])
        let queue = ErasureQueue { sessions in
            batches.withLock { $0.append(sessions.count) }
            for await _ in gate.stream { break }
            return .success(0)
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    _ = try await queue.run([SessionID(high: 1, low: UInt64(number))]).get()
                }
            }
            // The first batch is under way with one or more entries; all others wait for it.
            while batches.withLock({ $0.first ?? 20 }) + (await queue.waitingCount) < 20 {
                await Task.yield()
            }
            gate.continuation.yield()
            gate.continuation.yield()
            try await group.waitForAll()
        }
        #expect(batches.withLock { $0.reduce(0, +) } == 20)
        #expect(await queue.rewrites <= 2)
    }

    @Test func `An owner who deletes more is told when to come back`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            var answers: [UInt] = []
            for number in UInt64(1)...6 {
                let session = SessionID(high: 0x4000, low: 0x8000_0000_0000_0000 + number)
                try await running.sendHeartRates([120], token: token, session: session)
                let answer = try await running.ask(
                    .delete, "/v1/me/sessions/\(session)", token: token)
                answers.append(UInt(answer.status))
                guard answer.status == 429 else { continue }
                #expect(answer.fields["retry-after"] != nil)
            }
            #expect(answers == [200, 200, 200, 200, 200, 429])
        }
    }

    @Test func `An owner deletes a few sessions a minute`() {
        var limiter = DeviceLimiter(countMax: 5, windowSeconds: 60)
        let (ann, bob) = (DeviceID(rawValue: 1), DeviceID(rawValue: 2))
        let start = Timestamp(microseconds: 1_763_700_000_000_000)
        for second in 0..<5 {
            #expect(limiter.admit(ann, at: start.advanced(bySeconds: Double(second))) == nil)
        }
        #expect(limiter.admit(ann, at: start.advanced(bySeconds: 10)) == 50)
        #expect(limiter.admit(bob, at: start.advanced(bySeconds: 10)) == nil)
        #expect(limiter.admit(ann, at: start.advanced(bySeconds: 60)) == nil)
    }
}

/// Random bytes for the daemon's own parsers of untrusted input.
@Suite struct MadeUpBytesTests {
    private static let seeds = [
        #"{"seek":1763700123.5,"speed":2,"pause":false}"#, #"{"live":true}"#,
        #"{"speed":64}"#, #"{"pause":true,"x":[{"y":null}]}"#, #"{"seek":-1e308}"#,
    ]

    @Test func `No viewer's message traps, and what is obeyed is within its range`() {
        var generator = SeededNumbers(seed: 18)
        for _ in 0..<20_000 {
            var bytes = Array(Self.seeds.randomElement(using: &generator)?.utf8 ?? "".utf8)
            for _ in 0...Int.random(in: 0..<4, using: &generator) where !bytes.isEmpty {
                let index = bytes.indices.randomElement(using: &generator) ?? 0
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[index] = .random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(bytes[index], at: index)
                default: bytes.append(contentsOf: bytes[index...])
                }
            }
            for command in PlaybackCommand.commands(in: bytes) ?? [] {
                guard case .speed(let speed) = command else { continue }
                #expect(PlaybackCommand.validSpeed.contains(speed))
            }
        }
    }

    private struct SeededNumbers: RandomNumberGenerator {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }
}
