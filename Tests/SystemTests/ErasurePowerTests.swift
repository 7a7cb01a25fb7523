import Client
import Foundation
import Glibc
import Synchronization
import Testing
import Transport

extension SystemTests {
    /// Power loss on real file systems during erasures.
    @Suite struct ErasurePowerTests {
        private static let losses = Program.isLong ? 200 : 5

        @Test(arguments: LoopVolume.Kind.allCases)
        func `A session whose erasure loses power is gone or whole in each segment, others whole`(
            kind: LoopVolume.Kind
        ) async throws {
            try await TemporaryFolder.with { folder in
                try await LoopVolume.with(kind, in: folder) { volume in
                    var erasing = try await ErasingUnderPowerLoss(volume, in: folder)
                    for _ in 0..<Self.losses { try await erasing.losePower() }
                    try await erasing.expectOthersWhole()
                    let counts = erasing.counts
                    print("\(kind): \(Self.losses) power losses; \(counts)")
                    #expect(counts.answered > Self.losses, "the losses met no erasure")
                    #expect(counts.begun <= max(1, Self.losses / 20))
                    #expect(
                        !Program.isLong || counts.intents > Self.losses / 20,
                        "too few losses were in mid-erasure")
                }
            }
        }
    }
}

/// Recorded sessions of one device that are erased in groups during power losses.
private struct ErasingUnderPowerLoss {
    struct Counts {
        /// Sessions found erased, and found complete, after an erasure was tried.
        var erased = 0
        var kept = 0
        /// Sessions of several segments that were erased from the older ones only.
        var begun = 0
        /// Erasures that were answered before the power went.
        var answered = 0
        /// Losses after which a begun erasure was left to be completed.
        var intents = 0
    }

    private static let madeAtFirst = 40
    private static let madePerLoss = 4
    private static let erasedPerLoss = 6

    private let volume: LoopVolume
    private let folder: TemporaryFolder
    /// A device that sends continuously during the erasures.
    private let live: LedgerDevice
    private var whole: [LedgerDevice] = []
    private var gone: [LedgerDevice] = []
    /// Sessions that are erased in part, and are erased again next time.
    private var begun: [LedgerDevice] = []
    private var random = Seeded(0xE4A5)
    private(set) var counts = Counts()

    init(_ volume: LoopVolume, in folder: TemporaryFolder) async throws {
        self.volume = volume
        self.folder = folder
        (live, whole) = try await DaemonProcess.run(in: folder) { daemon in
            let token = try await daemon.addDevice("runner")
            let live = LedgerDevice(
                token: token, form: .binary, framesPerSend: 5, pauseMilliseconds: 5)
            let made = try await Self.record(Self.madeAtFirst, like: live, on: daemon)
            #expect(try await daemon.terminate() == .exited(0))
            return (live, made)
        }
    }

    /// - Returns: Devices that have sent short sessions and have their acks.
    private static func record(
        _ count: Int, like device: LedgerDevice, on daemon: DaemonProcess
    ) async throws -> [LedgerDevice] {
        var made: [LedgerDevice] = []
        for number in 0..<count {
            let forms = LedgerDevice.Form.allCases
            let short = LedgerDevice(token: device.token, form: forms[number % forms.count])
            try await short.run(
                port: try daemon.port(of: "device"), until: UInt32(5 + number * 17 % 60))
            made.append(short)
        }
        return made
    }

    // MARK: - One loss

    mutating func losePower() async throws {
        let moment = Moment(
            erasures: Int.random(in: 0..<Self.erasedPerLoss, using: &random),
            millisecondsThen: Int.random(in: 0...20, using: &random),
            millisecondsAfter: Int.random(in: 0...100, using: &random))
        let order = Seeded(UInt64.random(in: 0 ... .max, using: &random))
        let (made, victims, answered) = try await DaemonProcess.run(in: folder) { daemon in
            let made = try await Self.record(Self.madePerLoss, like: live, on: daemon)
            // Sessions of sealed segments and of the open one.
            var order = order
            let others = (whole + made).shuffled(using: &order)
            let victims = (begun + others).prefix(Self.erasedPerLoss)
            let erasure = Erasure(sessions: victims.map(\.session))
            try await interrupt(erasure, on: daemon, at: moment)
            return (made, Array(victims), erasure.answered)
        }
        try await volume.comeBack()
        whole += made
        counts.answered += answered.count
        let files = try FileManager.default.contentsOfDirectory(atPath: logFolder)
        if files.contains(where: { $0.hasSuffix(".erasure") }) { counts.intents += 1 }
        let verified = try await DaemonProcess.command(["log", "verify"], in: folder)
        #expect(verified.end == .exited(0), "\(verified.output) \(verified.complaint)")
        for victim in victims { try await judge(victim, wasAnswered: answered) }
    }

    /// The time of the power loss, and how long the daemon then runs without a disk.
    private struct Moment {
        let erasures: Int
        let millisecondsThen: Int
        let millisecondsAfter: Int
    }

    /// Loses power while sessions are erased one by one and a device sends.
    private func interrupt(
        _ erasure: Erasure, on daemon: DaemonProcess, at moment: Moment
    ) async throws {
        let port = try daemon.port(of: "device")
        let client = AdminClient(socketPath: try #require(daemon.addresses["admin"]))
        live.ledger.reconnect()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [live] in try await live.run(port: port) }
            group.addTask { await erasure.run(on: client) }
            try await erasure.waitForAnswers(moment.erasures)
            try await Task.sleep(for: .milliseconds(moment.millisecondsThen))
            live.ledger.cut()
            erasure.cut()
            try await volume.losePower()
            try await Task.sleep(for: .milliseconds(moment.millisecondsAfter))
            daemon.process.signal(SIGKILL)
            try await group.waitForAll()
        }
        try await daemon.process.waitForEnd()
    }

    private mutating func judge(
        _ victim: LedgerDevice, wasAnswered answered: Set<String>
    ) async throws {
        let session = try await RecordedSession(victim.session, in: folder)
        let wasBegun = begun.contains { $0.session == victim.session }
        whole.removeAll { $0.session == victim.session }
        begun.removeAll { $0.session == victim.session }
        guard !session.isGone else {
            gone.append(victim)
            counts.erased += 1
            return
        }
        #expect(!answered.contains(victim.session), "an answered erasure is undone")
        if !wasBegun, session.frames.first?.number == 1 {
            session.expectEverything(of: victim)
            whole.append(victim)
            counts.kept += 1
        } else {
            // Segments are erased oldest first and completely, or `log verify` fails.
            let numbers = session.frames.map(\.number)
            #expect(numbers == Array(UInt32(1)...victim.ledger.acknowledged).suffix(numbers.count))
            begun.append(victim)
            counts.begun += wasBegun ? 0 : 1
        }
    }

    // MARK: - At the end

    private var logFolder: String { DaemonProcess.state(in: folder) + "/log" }

    /// Checks the other sessions after a last start, which completes pending erasures.
    func expectOthersWhole() async throws {
        try await LedgerDevice.finish([live], in: folder)
        try await live.expectWhole(in: folder)
        try await eraseBegun()
        for device in whole {
            try await RecordedSession(device.session, in: folder).expectEverything(of: device)
        }
        for device in gone + begun {
            #expect(try await RecordedSession(device.session, in: folder).isGone)
        }
        let files = try bytesOfSegments()
        #expect(try whole.allSatisfy { try Self.isNamed($0, in: files) })
        #expect(try !(gone + begun).contains { try Self.isNamed($0, in: files) })
    }

    private func eraseBegun() async throws {
        try await DaemonProcess.run(in: folder) { daemon in
            let client = AdminClient(socketPath: try #require(daemon.addresses["admin"]))
            await Erasure(sessions: begun.map(\.session)).run(on: client)
            #expect(try await daemon.terminate() == .exited(0))
        }
    }

    private func bytesOfSegments() throws -> [Data] {
        try FileManager.default.contentsOfDirectory(atPath: logFolder)
            .filter { name in
                name == "catalog"
                    || [".segment", ".erasure", ".tmp"].contains { name.hasSuffix($0) }
            }
            .map { try Data(contentsOf: URL(filePath: logFolder + "/" + $0)) }
    }

    private static func isNamed(_ device: LedgerDevice, in files: [Data]) throws -> Bool {
        let id = try #require(UUID(uuidString: device.session))
        let bytes = unsafe withUnsafeBytes(of: id.uuid) { unsafe Data($0) }
        return files.contains { $0.range(of: bytes) != nil }
    }
}

/// Erasures of sessions, one after the other.
private final class Erasure: Sendable {
    private struct State {
        var isCut = false
        var isOver = false
        var answered: Set<String> = []
    }

    private let sessions: [String]
    private let state = Mutex(State())

    /// Sessions whose erasure was answered before ``cut()``.
    var answered: Set<String> { state.withLock { $0.answered } }

    init(sessions: [String]) { self.sessions = sessions }

    /// Ignores all later answers.
    func cut() { state.withLock { $0.isCut = true } }

    /// Waits for `count` answers; returns early if an erasure fails.
    func waitForAnswers(_ count: Int) async throws {
        while state.withLock({ !$0.isOver && $0.answered.count < count }) {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    func run(on client: AdminClient) async {
        defer { state.withLock { $0.isOver = true } }
        for session in sessions {
            // The request fails without the disk and gets no answer without the daemon.
            guard let answer = try? await client.send(.delete, "/sessions/\(session)"),
                answer.status == 200
            else { return }
            state.withLock { state in
                if !state.isCut { state.answered.insert(session) }
            }
        }
    }
}
