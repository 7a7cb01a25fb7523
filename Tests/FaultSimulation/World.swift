import FaultyDisk
import Ingest
import Ring
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Synchronization
import WireFormat

/// One seed: watches, a network, a daemon on a disk, viewers, and every fault; deterministic on all
/// machines.
package final class World {
    var random: SplitMix
    var disk: SimulatedDisk
    var life: Life
    var watches: [Watch] = []
    var pushers: [Pusher] = []
    /// Number of pusher lines over all lives.
    var lineCount = 0
    var backupFolder = SimulatedDisk()
    /// All backups begun, by number.
    var backups: [Int: BackedUp] = [:]
    /// Number of the newest backup without an error; 0: none.
    var newestBackup = 0
    var registry = Registry(given: DeviceID(rawValue: 3))
    var wires: [ConnectionID: Wire] = [:]
    var spectators: [Spectator] = []
    var ledger = Ledger()
    /// Steady clock in microseconds; never jumps.
    var steady: Int64 = 1_760_000_000_000_000
    /// Offset of the daemon's wall clock from the steady clock, µs.
    var wallOffset: Int64 = 0
    var connections: UInt64 = 0
    var hellos: [ConnectionID: SessionID] = [:]
    var configuration: LogConfiguration
    /// Event loops of each life: 1, 2 or 4, by the seed.
    let loopCount: Int
    let shares: [Share]
    var settings: (RunnerProfile, [DeviceID: Life.Privacy]) = (RunnerProfile(), [:])
    /// Messages that cannot be judged yet.
    var deliveries: [Delivery] = []
    var reference = Reference()
    /// Steady time, µs, until which the age of shown events cannot be judged.
    var clockTouchedUntil: Int64 = 0
    /// Whether the clock was set back: a delayed history then cannot tell the age of older events.
    var clockWentBack = false
    /// End of the log when the clock was last set back.
    var stepEnd = RecordOffset(rawValue: 0)
    /// Whether a crash lost records from before such a step.
    var hasLostSteps = false
    /// Whether faults have stopped.
    var isWell = false
    var playbackNumber: UInt64 = 0
    /// Receives a line for each action; `nil`: no trace.
    let trace: ((String) -> Void)?
    /// Counts of the seed's actions.
    package private(set) var counts = Counts()

    package struct Counts {
        package var steps = 0
        package var lives = 0
        package var acks = 0
        package var records = 0
        package var messages = 0

        package init() {}

        package static func += (left: inout Counts, right: Counts) {
            left.steps += right.steps
            left.lives += right.lives
            left.acks += right.acks
            left.records += right.records
            left.messages += right.messages
        }
    }

    var now: Timestamp { Timestamp(microseconds: steady + wallOffset) }

    package init(seed: UInt64, trace: ((String) -> Void)? = nil) throws {
        random = SplitMix(state: seed)
        loopCount = [1, 2, 4][Int(seed % 3)]
        self.trace = trace
        configuration = LogConfiguration(
            segmentBytesMax: 4096 + random.below(40_000),
            pendingBytesMax: (512 << 10) + 8192 + random.below(60_000), reserveBytes: 1 << 14)
        disk = SimulatedDisk()
        let start = Timestamp(microseconds: steady)
        for number: UInt32 in 1...2 {
            settings.1[DeviceID(rawValue: number)] = Life.Privacy(
                settings: Track.settings(&random), generation: 1)
        }
        shares = ShareDirectory(Self.shares(from: start, &random)).all
        life = try Life(
            disk: disk, configuration: configuration, shares: shares, settings: settings,
            loops: loopCount, now: start)
        life.complaints.privacy = settings.1
        for number in 0..<(1 + random.below(2)) {
            let session = SessionID(using: &random)
            let device = DeviceID(rawValue: UInt32(number + 1))
            watches.append(
                Watch(
                    device: device, clockOffset: Int64(random.below(4_000_000)) - 2_000_000,
                    session: session))
            ledger.books[session] = Ledger.Book(device: device)
        }
        meetPusher()
        for share in shares { spectators.append(Spectator(share)) }
    }

    private static func shares(from start: Timestamp, _ random: inout SplitMix) -> [Share] {
        let kinds: [(device: UInt32, scope: Scope, delay: Int, expires: Bool)] = [
            (1, .all, 0, false), (1, .heartRate, 0, false), (1, .metrics, 3, false),
            (1, [.metrics, .location], 0, true), (2, .all, 2, true), (2, .location, 0, false),
        ]
        return kinds.enumerated().map { index, kind in
            Share(
                key: ShareKey(rawValue: UInt32(index + 1)), name: "share \(index)",
                idHash: .zero, target: .device(DeviceID(rawValue: kind.device)),
                scope: kind.scope, delaySeconds: kind.delay,
                expiresAt: kind.expires
                    ? start.advanced(bySeconds: Double(random.below(60))) : nil,
                createdAt: start)
        }
    }

    /// Runs lives until the seed ends.
    ///
    /// - Throws: The first ``Violation``.
    package func run() throws {
        let lives = 2 + random.below(3)
        for number in 1...lives {
            counts.lives += 1
            for _ in 0..<(30 + random.below(150)) { try step() }
            do {
                if number == lives { try finish() } else { try end() }
            } catch Ended.early {
                break
            }
        }
        counts.acks = ledger.acks
        counts.records = ledger.held.count
    }

    func say(_ sentence: @autoclosure () -> String) {
        guard let trace else { return }
        trace("\(counts.steps) +\(Double(steady - 1_760_000_000_000_000) / 1e6)s \(sentence())")
    }

    func countMessage() { counts.messages += 1 }

    // MARK: A step

    func step() throws {
        counts.steps += 1
        steady += Int64(random.below(random.happens(percent: 2) ? 6_000_000 : 200_000))
        try chance()
        for index in watches.indices { act(index) }
        for connection in wires.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            deliver(connection)
        }
        for index in pushers.indices { push(index) }
        if random.happens(percent: 70) { try turn() }
        if random.happens(percent: 60) { write() }
        if random.happens(percent: 50) { sync() }
        for loop in life.loops where random.happens(percent: 60) { try run(loop) }
        if random.happens(percent: 3) { try readHistory() }
        if counts.steps.isMultiple(of: 16) { try judge() }
        try checkAlways()
    }

    private func write() {
        if case .worked = life.log.writeStep() { say("written to \(life.log.writtenEnd.rawValue)") }
    }

    private func sync() {
        // The two threads of the log: one writes while the other waits for its sync.
        if random.happens(percent: 20) {
            let log = life.log
            disk.state.withLock { $0.duringSync = { _ = log.writeStep() } }
        }
        defer { disk.state.withLock { $0.duringSync = nil } }
        // The syncing thread writes pending records unless it is elsewhere in its cycle.
        if counts.steps.isMultiple(of: 2) { life.log.commitStep() }
        if case .worked = life.log.syncStep() { say("synced to \(life.log.durableEnd.rawValue)") }
    }

    /// Triggers rare events.
    private func chance() throws {
        if random.happens(percent: 2) { disturbDisk() }
        guard random.happens(percent: 8) else { return }
        switch random.below(21) {
        case 0, 1:
            if let connection = watches[random.below(watches.count)].connection {
                cut(connection)
            }
        case 2:
            var jump = Int64(random.below(20_000_000)) - 10_000_000
            if random.happens(percent: 10) { jump *= 360 }
            // A start that can read nothing allows for a clock that was wrong by two hours.
            if abs(wallOffset + jump) > 3_600_000_000 { jump = -wallOffset }
            wallOffset += jump
            clockTouchedUntil = steady + 60_000_000
            clockWentBack = clockWentBack || jump < 0
            if jump < 0 { stepEnd = life.log.nextOffset }
            say("the daemon's clock jumps by \(Double(jump) / 1e6) s or more")
        case 3:
            settings.0.maxHeartRate = 170 + random.below(30)
            life.complaints.profile = settings.0
            let device = watches[random.below(watches.count)].device
            say("profile of \(device.rawValue) changed")
            life.flow.profileChanged(of: device)
        case 4, 6: changePrivacy(of: watches[random.below(watches.count)].device)
        case 7: commandOwner()
        case 8:
            let repair = life.log.repair()
            say("upkeep: \(repair)")
            do { try life.log.saveCatalog() } catch { say("no catalog: \(error)") }
        case 5:
            let index = random.below(watches.count)
            if let connection = watches[index].connection { cut(connection) }
            let session = SessionID(using: &random)
            ledger.books[session] = Ledger.Book(device: watches[index].device)
            watches[index].begin(session, &random)
            say("watch \(index) begins session \(session)")
        case 16: beginErasing()
        case 17: try retain()
        case 18: backUp()
        case 19: try addDevice()
        default: try meetViewer(random.below(spectators.count))
        }
    }

    private func disturbDisk() {
        let kinds = SimulatedDisk.Fault.Kind.allCases
        let kind = kinds[random.below(kinds.count)]
        let (first, seed) = (random.below(6), random.next())
        let choice = random.below(4)
        say("the disk: \(choice), \(kind)")
        disk.state.withLock { state in
            state.fault = nil
            state.faultPercent = 0
            switch choice {
            case 0: break
            case 1:
                state.faultPercent = 10
                state.dice = SplitMix(state: seed)
            case 2:
                state.fault = SimulatedDisk.Fault(
                    kind: kind, call: state.calls + first, isForEver: true)
            default: state.fault = SimulatedDisk.Fault(kind: kind, call: state.calls + first)
            }
        }
    }

    /// Runs a turn as the pipeline thread does.
    func turn() throws {
        life.complaints.now = now
        life.flow.now = now
        life.flow.noteUnread(since: min(life.unreadSince ?? now, now))
        expireShares()
        life.flow.advance(to: now)
        if life.log.hasRoom {
            for loop in life.loops {
                _ = life.drain(loop, limit: 1 + random.below(64)) { connection, arrival in
                    hear(connection, at: arrival)
                } taken: { connection, number in
                    if let session = life.flow.table.session(of: connection) {
                        note(session, number)
                    }
                }
            }
        }
        life.flow.noteUnread(since: life.unreadSince)
        // Posted work comes first, as in the daemon's turns.
        for post in life.takePosts() { try post(self) }
        settlePushes()
        continueCatchUps()
        noteShown()
        if random.happens(percent: 60) { try readAside() }
        playOn()
        try acknowledge()
        life.log.flush()
    }

    /// Records since when each share has shown its session, without the delay.
    private func noteShown() {
        for var share in shares {
            share.delaySeconds = 0
            let session = life.flow.hub.session(shownBy: share, at: now)
            guard life.shown[share.key]?.session != session else { continue }
            life.shown[share.key] = Life.Shown(session: session, since: life.log.nextOffset)
        }
    }

    private func note(_ session: SessionID, _ number: UInt32) {
        guard let book = ledger.books[session] else { return }
        // Held already: a second copy is nothing new.
        if number > 0, !book.promised.contains(number), !book.removed.contains(number) {
            ledger.books[session]?.taken.insert(number)
        }
    }

    private func acknowledge() throws {
        var acks: [(ConnectionID, SessionID, UInt32)] = []
        life.flow.acknowledge { acks.append(($0.connection, $0.session, $0.sequence.rawValue)) }
        for (connection, session, number) in acks {
            say("ack \(number) of \(session)")
            try ledger.acknowledge(session, number)
            wires[connection]?.answer(.ack(number), at: steady, &random)
        }
    }

    private func checkAlways() throws {
        if let stray = life.complaints.stray { throw Violation(stray) }
        if let sentence = life.complaints.sentences.first { throw Violation(sentence) }
        let repeated = disk.state.withLock { $0.syncsAfterFailure }
        guard repeated == 0 else { throw Violation("a descriptor was synced after it had failed") }
    }
}
