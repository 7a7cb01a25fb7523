import FaultyDisk
import Ingest
import Replay
import Ring
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Synchronization

/// The end of a life of the daemon, and the checks at the start of the next.
extension World {
    /// Ends the life by power loss, kill or an orderly close.
    func end() throws {
        let choice = random.below(10)
        var isOrderly = false
        let after: SimulatedDisk
        switch choice {
        case 0..<6: after = disk.crashed(&random)
        case 6..<8: after = disk.killed()
        default:
            disk.state.withLock { state in
                state.fault = nil
                state.faultPercent = 0
            }
            try turn()
            life.log.close()
            isOrderly = true
            after = choice == 8 ? disk.killed() : disk.crashed(&random)
        }
        try judge()
        let before = life.log.nextOffset
        hasLostSteps = life.log.durableEnd < stepEnd
        stepEnd = RecordOffset(rawValue: 0)
        say(["lost power", "killed", "closed"][choice < 6 ? 0 : choice < 8 ? 1 : 2])
        // Hours without a position, and no end record: the runner may have been at home.
        if random.happens(percent: 2) { steady += Int64(1900 + random.below(9000)) * 1_000_000 }
        // Minutes, after which a device resumes the same run.
        if random.happens(percent: 5) { steady += Int64(60 + random.below(530)) * 1_000_000 }
        ledger.restart()
        for connection in wires.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            if let index = wires[connection]?.watch, watches[index].connection == connection {
                watches[index].connection = nil
                watches[index].isWelcome = false
            }
        }
        wires = [:]
        deliveries = []
        // A crash loses records that had been written.
        reference = Reference()
        for index in spectators.indices { spectators[index].isConnected = false }
        for index in pushers.indices { pushers[index].asked = nil }
        loseRegistry()
        if let replacement = try replacedDisk() { return try startAgain(on: replacement) }
        if random.happens(percent: 5) { return try rot(after) }
        disk = try started(on: after, isOrderly: &isOrderly)
        try ledger.check(life.log.reader())
        try checkStart(before, isOrderly: isOrderly)
    }

    /// Starts the next life, which may meet disk errors and fail.
    private func started(
        on found: SimulatedDisk, isOrderly: inout Bool
    ) throws -> SimulatedDisk {
        var found = found
        for _ in 0..<3 where random.happens(percent: 40) {
            isOrderly = false
            let call = random.below(12)
            let isRead = random.happens(percent: 50)
            found.state.withLock { state in
                if isRead {
                    state.readsUntilFault = call
                } else {
                    state.fault = SimulatedDisk.Fault(
                        kind: .inputOutput, call: state.calls + call, isForEver: true)
                }
            }
            say("a start meets errors: \(((try? found.list()) ?? []).sorted())")
            do {
                let log = try SegmentLog.open(
                    disk: found, configuration: configuration, now: now)
                say("and goes on: \(log.recovery)")
            } catch {
                say("and gives up: \(error)")
            }
            found = random.happens(percent: 50) ? found.crashed(&random) : found.killed()
        }
        say("files: \(((try? found.list()) ?? []).sorted())")
        life = try Life(
            disk: found, configuration: configuration, shares: shares, settings: settings,
            loops: loopCount, now: now)
        say("started at \(life.log.nextOffset.rawValue): \(life.log.recovery)")
        return found
    }

    /// Starts on a restored disk: records after the backup are lost, and their offsets are not
    /// reused.
    private func startAgain(on restored: SimulatedDisk) throws {
        var isOrderly = false
        configuration.newEpoch = UInt32(truncatingIfNeeded: random.next())
        disk = try started(on: restored, isOrderly: &isOrderly)
        try ledger.check(life.log.reader())
        // A second restore may draw lower offsets. `seen` checks that none repeats.
        ledger.highestSeen = nil
        hasLostSteps = false
        try checkStart(RecordOffset(rawValue: 0), isOrderly: false)
    }

    private func checkStart(_ before: RecordOffset, isOrderly: Bool) throws {
        let next = life.log.nextOffset
        if hasLostSteps {
            // Numbers follow the clock. Lost records may have numbers of a clock that was set back
            // since, and the disk does not tell of them.
            ledger.highestSeen = nil
            ledger.seen = ledger.seen.filter { $0.key.offset < next.rawValue }
        }
        if let seen = ledger.highestSeen, next.rawValue <= seen {
            throw Violation("offset \(next.rawValue) is used again, a viewer has seen \(seen)")
        }
        guard next >= before || hasLostSteps else {
            throw Violation("offsets went back from \(before.rawValue) to \(next.rawValue)")
        }
        if isOrderly, next != before {
            throw Violation("an orderly end cost offsets: \(before.rawValue), \(next.rawValue)")
        }
        for record in ledger.held.keys where record >= next {
            throw Violation("a record at \(record.rawValue), beyond the next offset")
        }
        let damage = try life.log.reader().verify().damaged
        guard damage.isEmpty else { throw Violation("damage that nobody did: \(damage)") }
        try checkEvents()
    }

    /// Checks that the events seen by viewers equal those of the log.
    private func checkEvents() throws {
        for share in shares where ledger.seen.keys.contains(where: { $0.share == share.key }) {
            for (session, book) in ledger.books
            where book.device == share.device && !ledger.hasLost(session) {
                var violation: Violation?
                try read(session, as: share, from: RecordOffset(rawValue: 0), until: nil) {
                    offset, json in
                    let sight = Ledger.Sight(
                        json, at: offset.rawValue, on: share.key,
                        generation: share.hidesPlaces
                            ? settings.1[book.device]?.generation ?? 0 : 0)
                    if let seen = ledger.seen[sight], seen != json {
                        violation = Violation(
                            "the log's event at \(offset.rawValue) is another for share "
                                + "\(share.key.rawValue): \(String(decoding: json, as: UTF8.self)), "
                                + "seen: \(String(decoding: seen, as: UTF8.self))")
                    }
                }
                if let violation { throw violation }
            }
        }
    }

    /// Checks that connected viewers have had every event of the shown session since they joined.
    private func checkViewers() throws {
        for (index, viewer) in spectators.enumerated() where viewer.isConnected {
            let share = viewer.share
            guard share.isActive(at: now), viewer.feed?.isLive == true,
                share.delaySeconds == 0 || !clockWentBack,
                let promised = viewer.promisedAfter,
                let shown = life.shown[share.key], let session = shown.session,
                !ledger.hasLost(session)
            else { continue }
            let after = max(RecordOffset(rawValue: promised.rawValue + 1), shown.since)
            // Events held back by a delay are still to come.
            let until = share.delaySeconds > 0 ? viewer.last?.offset : nil
            var missed: [String] = []
            try read(session, as: share, from: after, until: until) { offset, json in
                guard !viewer.events.contains(offset.rawValue) else { return }
                missed.append(String(decoding: json, as: UTF8.self))
            }
            guard missed.isEmpty else {
                throw Violation(
                    "viewer \(index) of \(session), promised all after \(promised.rawValue), "
                        + "has \(viewer.events.sorted()) and missed \(missed)")
            }
        }
    }

    /// Flips a bit while the daemon is down, and ends the seed. No wrong record may be read, and
    /// gaps must cover records missing before the last anchor.
    private func rot(_ disk: SimulatedDisk) throws {
        let records = try held(by: disk)
        // If a segment is unreadable at the start, records that it had replaced in earlier ones
        // remain. After damage, reading also continues behind a torn end, with unsynced records.
        let written = try ([self.disk.killed()] + disk.segmentsAlone()).map(held)
        let rotten = disk.killed()
        rotten.flipBit(&random)
        say("a bit turns over")
        var isOrderly = false
        self.disk = try started(on: rotten, isOrderly: &isOrderly)
        var wrong: RecordOffset?
        var found: Set<RecordOffset> = []
        var gaps: [LogGap] = []
        try life.log.reader().read(
            from: RecordOffset(rawValue: 0), gap: { gaps.append($0) }
        ) { header, payload in
            let held = Ledger.Held(header, payload)
            if !written.contains(where: { $0[header.offset] == held }) { wrong = header.offset }
            found.insert(header.offset)
            return true
        }
        if let wrong { throw Violation("a turned bit was read at \(wrong.rawValue)") }
        let last = found.max() ?? RecordOffset(rawValue: 0)
        for offset in records.keys where offset < last && !found.contains(offset) {
            guard gaps.contains(where: { $0.from <= offset && offset < $0.to }) else {
                throw Violation("record \(offset.rawValue) is missing without a word")
            }
        }
        ledger = Ledger()
        for index in watches.indices {
            let session = SessionID(using: &random)
            ledger.books[session] = Ledger.Book(device: watches[index].device)
            watches[index].begin(session, &random)
        }
        for session in life.log.sessions() {
            ledger.books[session.session] = Ledger.Book(device: session.device)
        }
        throw Ended.early
    }

    private func held(by disk: SimulatedDisk) throws -> [RecordOffset: Ledger.Held] {
        var records: [RecordOffset: Ledger.Held] = [:]
        try LogReader(disk: disk).read(from: RecordOffset(rawValue: 0)) { header, payload in
            records[header.offset] = Ledger.Held(header, payload)
            return true
        }
        return records
    }

    /// Whether a catch-up is still under way.
    private var isCatchingUp: Bool {
        !life.tasks.isEmpty || !life.posts.isEmpty || !life.asking.isEmpty
            || life.watchers.values.contains { $0.catchUp != nil }
            || spectators.contains { $0.isConnected && !$0.inbox.isEmpty }
    }

    /// Ends a seed before its last life.
    enum Ended: Error { case early }

    /// Finishes with a healthy disk and network: every frame arrives, and a replay gives the
    /// recorded events.
    func finish() throws {
        isWell = true
        disk.state.withLock { state in
            state.fault = nil
            state.faultPercent = 0
        }
        for _ in 0..<60 {
            steady += 300_000
            for index in watches.indices { act(index) }
            for connection in wires.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
                deliver(connection)
            }
            for index in pushers.indices { push(index) }
            try turn()
            life.log.syncAppended()
            try runLoops()
        }
        for _ in 0..<20
        where !life.complaints.rebuildings.isEmpty || !life.tasks.isEmpty || !life.posts.isEmpty {
            try turn()
            life.log.syncAppended()
        }
        life.log.syncAppended()
        // Pending catch-ups are paced, part by part, with at least one event each.
        for turns in 0..<4000 where turns < 60 || isCatchingUp {
            steady += 600_000
            try turn()
            life.log.syncAppended()
            try runLoops()
        }
        guard life.log.state == .writing, life.log.durableEnd == life.log.nextOffset else {
            throw Violation("the log does not write again: \(life.log.state)")
        }
        try ledger.check(life.log.reader())
        try checkPushers()
        try checkEvents()
        try checkViewers()
        try judge()
        for session in life.log.sessions() {
            if life.flow.sessions[session.session]?.computation == nil { continue }
            if ledger.hasLost(session.session) { continue }
            let verification = try ReplayVerification.run(
                session.session, reader: life.log.reader())
            for difference in verification.differences {
                say("differs: \(difference)")
                let around = difference.offset?.rawValue ?? 0
                for (offset, held) in ledger.held.sorted(by: { $0.key < $1.key })
                where offset.rawValue + 12 > around && offset.rawValue < around + 4 {
                    say("  \(offset.rawValue) \(held.header.type) \(held.header.sequence)")
                }
            }
            guard verification.differenceCount == 0, verification.unrecorded == 0 else {
                throw Violation(
                    "replay of \(session.session) differs from what was live: "
                        + "\(verification.differenceCount) from offset "
                        + "\(verification.differences.first?.offset?.rawValue ?? 0), "
                        + "\(verification.unrecorded) not recorded")
            }
        }
    }
}
