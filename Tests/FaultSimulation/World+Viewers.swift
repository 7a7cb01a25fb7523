import FaultyDisk
import Ingest
import Replay
import Ring
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Synchronization
import WireFormat

/// Viewers: the pipeline's answers to them, and the loop that writes to them.
extension World {
    /// A viewer comes, or goes.
    func meetViewer(_ index: Int) throws {
        if random.happens(percent: 50) {
            for seat in life.leaving { life.flow.board.leave(seat) }
            life.leaving = []
        }
        if spectators[index].isConnected { leave(index) } else { try join(index) }
    }

    /// Shares whose time has come lose their viewers.
    func expireShares() {
        for share in shares where share.expiresAt.map({ $0 <= now }) ?? false {
            for index in spectators.indices
            where spectators[index].share.key == share.key && spectators[index].isConnected {
                say("the share of viewer \(index) is over")
                leave(index)
            }
            life.flow.board.letGo(of: share.key)
        }
    }

    private func leave(_ index: Int) {
        say("viewer \(index) goes")
        spectators[index].isConnected = false
        life.catchUps.removeAll { $0.viewer == index }
        if let seat = life.seats.removeValue(forKey: index) { life.flow.board.leave(seat) }
        drop(index)
    }

    private func drop(_ index: Int) {
        let key = spectators[index].share.key
        life.watching[key]?.remove(index)
        if life.watching[key]?.isEmpty == true {
            life.watching[key] = nil
            life.feeds.close(key)
        }
    }

    private func join(_ index: Int) throws {
        let share = spectators[index].share
        let flow = life.flow
        guard share.isActive(at: flow.now) else { return }
        let shown = flow.board.session(shownBy: share, at: flow.now)
        if let shown { _ = flow.known(shown, isRecorded: false) }
        guard
            let (seat, snapshot) = flow.board.join(
                share.key, loop: 0, cursor: flow.cursor, at: flow.now)
        else { return }
        life.seats[index] = seat
        var resumed = spectators[index].last
        if random.happens(percent: 20) { resumed = nil }
        if let cursor = resumed, !life.log.isKnown(cursor) {
            life.complaints.sentences.append("cursor \(cursor) of a viewer is not known any more")
        }
        try checkPlace(resumed, of: share)
        say("viewer \(index) comes with \(resumed.map { "\($0)" } ?? "nothing")")
        spectators[index].isConnected = true
        spectators[index].begin(resumed: resumed != nil, at: snapshot.cursor)
        spectators[index].isCatchingUp = resumed != nil
        let message = Life.Message.begin(
            index, snapshot, resumedAt: resumed, catchingUp: resumed != nil)
        guard life.outbound.push(message), let resumed else { return }
        life.log.flush()
        let missed = flow.board.missed(of: share, before: snapshot, cursor: flow.cursor)
        life.catchUps.append(
            Life.CatchUp(
                viewer: index,
                sessions: flow.board.sessions(openTo: share, after: resumed.offset, at: flow.now),
                after: resumed.offset, end: missed.through,
                due: missed.due.map { steady + max(0, $0.microseconds - flow.now.microseconds) }))
    }

    /// What a viewer comes back with was its own device's, or it would be told of a gap.
    private func checkPlace(_ cursor: LogCursor?, of share: Share) throws {
        guard let cursor, let device = share.device, life.log.writtenEnd > cursor.offset else {
            return
        }
        guard try life.log.reader().isPlace(cursor.offset, inHistoryOf: [device]) else {
            throw Violation("the cursor \(cursor) of a viewer is another's")
        }
    }

    /// Sessions that were read back, and missed events; as the background threads do.
    func rebuild() throws {
        let rebuildings = life.complaints.rebuildings
        life.complaints.rebuildings = []
        for rebuilding in rebuildings {
            guard life.log.writtenEnd >= rebuilding.end else {
                life.complaints.rebuildings.append(rebuilding)
                continue
            }
            var fields = SessionFields(
                session: rebuilding.session, epoch: life.log.epoch,
                privacy: life.complaints.privacy)
            do {
                let rebuilt = try SessionRebuild.run(
                    rebuilding.session, reader: life.log.reader(), until: rebuilding.end
                ) { event, offset in _ = fields.take(event, at: offset) }
                say("session \(rebuilding.session) is back")
                life.flow.resume(
                    rebuilding.session, from: rebuilt, until: rebuilding.end, fields: fields)
            } catch {
                throw Violation("a session cannot go on: \(error)")
            }
        }
        let waiting = life.catchUps
        life.catchUps = []
        for catchUp in waiting {
            guard life.log.writtenEnd > catchUp.end, catchUp.due.map({ $0 <= steady }) ?? true
            else {
                life.catchUps.append(catchUp)
                continue
            }
            try give(catchUp)
        }
    }

    private func give(_ catchUp: Life.CatchUp) throws {
        let share = spectators[catchUp.viewer].share
        var events: [(cursor: LogCursor, json: [UInt8])] = []
        let until = RecordOffset(rawValue: catchUp.end.rawValue + 1)
        for session in catchUp.sessions {
            try read(session, as: share, from: catchUp.after, until: until) { offset, json in
                guard offset > catchUp.after else { return }
                events.append((LogCursor(epoch: life.log.epoch, offset: offset), json))
            }
        }
        events.sort { $0.cursor < $1.cursor }
        _ = life.outbound.push(.missed(catchUp.viewer, events))
    }

    /// The discrete events of a session as a share's history shows them.
    func read(
        _ session: SessionID, as share: Share, from: RecordOffset, until: RecordOffset?,
        _ body: (RecordOffset, [UInt8]) -> Void
    ) throws {
        var view = HistoryView(
            epoch: life.log.epoch, scope: share.scope, privacy: life.complaints.privacy)
        try life.log.reader().read(from: from, until: until, session: session) {
            header, payload in
            guard header.type == .event, let event = try? StreamEventCodec.decode(payload),
                let json = view.item(of: event, at: header.offset)
            else { return true }
            body(header.offset, json)
            return true
        }
    }

    /// As an event loop: applies what the pipeline said, writes to whoever is owed something.
    func loop() throws {
        var messages: [Life.Message] = []
        _ = life.outbound.drain { messages.append($0) }
        for message in messages {
            switch message {
            case .board(let key, .update(let update)):
                if life.watching[key] != nil { life.feeds.apply(update, to: key) }
            case .board(let key, .ended(let code)):
                for index in (life.watching[key] ?? []).sorted() {
                    say("viewer \(index) is closed: \(code)")
                    spectators[index].isConnected = false
                    life.catchUps.removeAll { $0.viewer == index }
                    if let seat = life.seats.removeValue(forKey: index) {
                        life.leaving.append(seat)
                    }
                    drop(index)
                }
            case .begin(let index, let snapshot, let resumed, let catchingUp):
                try begin(index, snapshot, resumed, catchingUp)
            case .missed(let index, let events):
                guard spectators[index].isConnected else { continue }
                for event in events { try show(index, event.json, event.cursor) }
                spectators[index].queue.caughtUp()
                spectators[index].isCatchingUp = false
            }
        }
        for key in life.watching.keys.sorted() {
            for index in (life.watching[key] ?? []).sorted() { try flush(index) }
        }
    }

    private func begin(
        _ index: Int, _ snapshot: FeedSnapshot, _ resumed: LogCursor?, _ catchingUp: Bool
    ) throws {
        guard spectators[index].isConnected else { return }
        let key = spectators[index].share.key
        let feed =
            life.feeds[key]
            ?? life.feeds.open(key, runnerName: "", snapshot: snapshot)
        life.watching[key, default: []].insert(index)
        spectators[index].queue = SubscriberQueue(rateHz: 2, catchingUp: catchingUp)
        var owed: [EncodedMessage] = []
        spectators[index].queue.begin(
            [feed], at: UInt64(steady) * 1000, resumedAt: resumed, into: &owed)
        for message in owed { try show(index, message.json, message.cursor) }
    }

    private func flush(_ index: Int) throws {
        guard let feed = life.feeds[spectators[index].share.key] else { return }
        if random.happens(percent: 2) {
            spectators[index].queue.becameUnwritable(at: UInt64(steady) * 1000)
        } else {
            spectators[index].queue.becameWritable()
        }
        var owed: [EncodedMessage] = []
        let action = spectators[index].queue.flush([feed], at: UInt64(steady) * 1000, into: &owed)
        for message in owed { try show(index, message.json, message.cursor) }
        if case .disconnect = action { leave(index) }
    }

    private func show(_ index: Int, _ json: [UInt8], _ cursor: LogCursor) throws {
        countMessage()
        say("viewer \(index) is sent \(String(decoding: json, as: UTF8.self))")
        let isEvent = try spectators[index].take(json, cursor)
        // An empty log's cursor is nobody's offset yet.
        if cursor.offset < life.log.nextOffset {
            ledger.highestSeen = max(ledger.highestSeen ?? 0, cursor.offset.rawValue)
        }
        guard isEvent else { return }
        let sight = Ledger.Sight(
            share: spectators[index].share.key, offset: cursor.offset.rawValue)
        if let before = ledger.seen.updateValue(json, forKey: sight), before != json {
            throw Violation(
                "two events for one cursor \(cursor): \(String(decoding: before, as: UTF8.self)) "
                    + String(decoding: json, as: UTF8.self))
        }
    }
}
