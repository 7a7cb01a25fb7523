import FaultyDisk
import SegmentLog
import SensorModel
import Sessions
import Sharing

/// Erasure by owners, and retention: the selected records go, and no others.
extension World {
    /// Begins an erasure as the daemon's administration does: the session leaves memory, then the
    /// log erases it beside the pipeline's turns.
    func beginErasing() {
        let sessions = life.log.sessions().filter { !life.erasing.contains($0.session) }
        guard let summary = sessions.randomElement(using: &random) else { return }
        let session = summary.session
        say("the owner erases \(session)")
        life.erasing.insert(session)
        ledger.mayLose(session, before: life.log.nextOffset)
        voidRequests(of: session)
        if let connection = life.flow.forget(session, of: summary.device) {
            wires[connection]?.answer(.close, at: steady, &random)
        }
        life.log.flush()
        restartPlayers(of: summary.device)
        add(.erasure(session))
    }

    func erase(_ session: SessionID) throws {
        try judge()
        try reference.read(life.log.reader())
        do {
            let erasure = try life.log.erase([session])
            say("erased: \(erasure)")
            ledger.mustLose(session)
        } catch {
            say("not erased, or in part: \(error)")
        }
        life.indexes = life.indexes.filter { $0.key.session != session }
        life.posts.append { $0.admit(session) }
    }

    /// Moves a session without remaining records to another ID; its watch starts it anew.
    private func retire(_ session: SessionID) {
        guard life.log.summary(of: session) == nil, life.flow.sessions[session] == nil else {
            return
        }
        let other = SessionID(using: &random)
        reference.retire(session, as: other)
        ledger.mayLose(other, before: life.log.nextOffset)
    }

    /// Admits the watch once the log has written the session's records from memory.
    private func admit(_ session: SessionID) {
        if let end = ledger.lossEnd(of: session), life.log.writtenEnd < end {
            life.posts.append { $0.admit(session) }
        } else {
            retire(session)
            life.erasing.remove(session)
        }
    }

    /// Removes the oldest segments.
    func retain() throws {
        let segments = life.log.segments()
        let bytes = segments.reduce(0) { $0 + $1.bytes }
        let kept = bytes / 4 + random.below(bytes + 1)
        var left = bytes
        let cut = segments.dropLast().first { segment in
            defer { left -= segment.bytes }
            return left <= kept
        }
        let end = cut?.firstOffset ?? segments.last?.firstOffset ?? RecordOffset(rawValue: 0)
        guard kept < bytes else { return }
        try judge()
        try reference.read(life.log.reader())
        var removed: [SessionID: Set<UInt32>] = [:]
        var unnumbered: [(SessionID, Watch.Made)] = []
        try life.log.reader().read(from: RecordOffset(rawValue: 0), until: end) { header, payload in
            removed[header.session, default: []].insert(header.sequence.rawValue)
            if case .frame(let kind) = header.type, !header.sequence.isCounted {
                let held = Ledger.Held(header, payload).payload
                let made = Watch.Made(kind: kind, deviceTime: header.deviceTime, payload: held)
                unnumbered.append((header.session, made))
            }
            return true
        }
        for (session, made) in unnumbered { ledger.forget(made, of: session) }
        ledger.mayLose(removed, before: end)
        do {
            let erasure = try life.log.retain(arrivalBefore: nil, bytesMax: kept)
            say("retention: \(erasure)")
        } catch {
            // The log no longer lists these records, though files may be left.
            say("retention, in part: \(error)")
        }
        // A watch whose session is gone is told to begin with its first frame.
        for session in removed.keys { ledger.books[session]?.acknowledged = 0 }
        for session in removed.keys.sorted(by: { ($0.high, $0.low) < ($1.high, $1.low) }) {
            retire(session)
        }
    }
}
