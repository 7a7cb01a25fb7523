import FaultyDisk
import Ring
import SegmentLog
import SensorModel
import Sessions
import Sharing

/// The event loops: they apply the pipeline's messages and write to viewers.
extension World {
    func runLoops() throws {
        for loop in life.loops { try run(loop) }
    }

    func run(_ loop: Life.Loop) throws {
        var messages: [Life.Message] = []
        _ = loop.outbound.drain { messages.append($0) }
        for message in messages { try take(message, on: loop) }
        for key in loop.watching.keys.sorted(by: {
            ($0.share, $0.playback) < ($1.share, $1.playback)
        }) {
            for index in (loop.watching[key] ?? []).sorted() { try flush(index, on: loop) }
        }
    }

    private func take(_ message: Life.Message, on loop: Life.Loop) throws {
        switch message {
        case .hub(let key, .update(let update)):
            if loop.watching[FeedKey(key)] != nil { loop.feeds.apply(update, to: FeedKey(key)) }
        case .playback(let key, let update):
            if loop.watching[key] != nil { loop.feeds.apply(update, to: key) }
        case .hub(let key, .ended(let code)):
            for index in (loop.watching[FeedKey(key)] ?? []).sorted() {
                say("viewer \(index) is closed: \(code)")
                if let viewer = viewer(index) { life.leaving.append(viewer) }
                disconnect(index)
            }
        case .begin(let viewer, let key, let snapshot, let start):
            if self.viewer(viewer.index) == viewer {
                try begin(viewer.index, key, snapshot, start, on: loop)
            }
        case .part(let viewer, let events):
            if self.viewer(viewer.index) == viewer { spectators[viewer.index].inbox.append(events) }
        case .caughtUp(let viewer, let catchUp, let after, let began):
            guard self.viewer(viewer.index) == viewer else { return }
            say("viewer \(viewer.index) is caught up")
            try checkCaughtUp(viewer.index, by: catchUp, after: after, began: began)
            spectators[viewer.index].queue.caughtUp()
        case .settings(let device, let privacy): loop.inForce[device] = privacy
        }
    }

    private func begin(
        _ index: Int, _ key: FeedKey, _ snapshot: FeedSnapshot, _ start: Life.Start,
        on loop: Life.Loop
    ) throws {
        let isNew = spectators[index].feed == nil
        drop(index)
        let feed =
            loop.feeds[key] ?? loop.feeds.open(key, runnerName: "", snapshot: snapshot)
        loop.watching[key, default: []].insert(index)
        spectators[index].begin(
            key, start, at: snapshot.cursor, isNew: isNew,
            privacyInForce(for: index))
        spectators[index].queue = DeliveryState(rateHz: 2, catchingUp: start.catchingUp)
        if start.hasGap, let cursor = start.resumedAt {
            let gap = EventEncoder.historyGap(cursor: cursor, time: now)
            try show(index, gap.json, gap.cursor)
        }
        var owed: [EncodedMessage] = []
        spectators[index].queue.begin(
            [feed], at: UInt64(steady) * 1000, resumedAt: start.resumedAt, into: &owed)
        for message in owed {
            try show(index, message.json, message.cursor, about: feed.cursor.offset)
        }
    }

    private func flush(_ index: Int, on loop: Life.Loop) throws {
        guard let key = spectators[index].feed, let feed = loop.feeds[key] else { return }
        if !spectators[index].inbox.isEmpty, isWell || random.happens(percent: 70) {
            for event in spectators[index].inbox.removeFirst() {
                try show(index, event.json, event.cursor)
            }
            if let viewer = viewer(index) { life.asking.append(viewer) }
        }
        if !isWell, random.happens(percent: 2) {
            spectators[index].queue.becameUnwritable(at: UInt64(steady) * 1000)
        } else {
            spectators[index].queue.becameWritable()
        }
        var owed: [EncodedMessage] = []
        let action = spectators[index].queue.flush([feed], at: UInt64(steady) * 1000, into: &owed)
        for message in owed { try show(index, message.json, message.cursor) }
        if case .disconnect = action { leave(index) }
    }

    private func show(
        _ index: Int, _ json: [UInt8], _ cursor: LogCursor, about offset: RecordOffset? = nil
    ) throws {
        countMessage()
        say("viewer \(index) is sent \(String(decoding: json, as: UTF8.self))")
        let share = spectators[index].share
        let isEvent = try spectators[index].take(json, cursor)
        // The cursor of an empty log is not an offset in use.
        if cursor.offset < life.log.nextOffset {
            ledger.highestSeen = max(ledger.highestSeen ?? 0, cursor.offset.rawValue)
        }
        let privacy = privacyInForce(for: index)
        deliver(json, about: offset ?? cursor.offset, to: share, privacy)
        // If the clock jumped between two records, no record tells what time alone released.
        let isFinishKnown = clockTouchedUntil == 0 || privacy.settings.trimFinishMeters <= 0
        // Laps and splits of a session without its beginning count from another start.
        let isWhole = !ledger.books.contains { $1.device == share.device && ledger.hasLost($0) }
        guard isEvent, isWhole, isFinishKnown || !share.hidesPlaces else { return }
        let sight = Ledger.Sight(
            json, at: cursor.offset.rawValue, on: share.key,
            generation: share.hidesPlaces ? privacy.generation : 0)
        if let before = ledger.seen.updateValue(json, forKey: sight), before != json {
            throw Violation(
                "two events for one cursor \(cursor): \(String(decoding: before, as: UTF8.self)) "
                    + String(decoding: json, as: UTF8.self))
        }
    }
}
