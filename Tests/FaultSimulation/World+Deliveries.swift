import FaultyDisk
import SegmentLog
import SensorModel
import Sessions
import Sharing

/// Judges the messages sent to viewers by the reference.
extension World {
    func deliver(
        _ json: [UInt8], about offset: RecordOffset, to share: Share, _ privacy: Life.Privacy
    ) {
        guard offset.rawValue > 0 else { return }
        deliveries.append(
            Delivery(
                message: SentMessage(json), json: json, offset: offset, share: share,
                privacy: privacy.settings, now: now, end: life.log.nextOffset,
                isClockTouched: steady < clockTouchedUntil,
                wasClockTouched: clockTouchedUntil > 0, stepEnd: stepEnd))
    }

    /// Judges messages about readable records; those about records lost in a crash are not judged.
    func judge() throws {
        let written = life.log.writtenEnd
        guard deliveries.contains(where: { $0.end <= written }) else { return }
        try reference.read(life.log.reader())
        var sights: [Reading: [Reference.Sight]] = [:]
        for var delivery in deliveries where delivery.end <= written {
            guard let place = reference.place(of: delivery.offset) else {
                // The record was erased before the reference could read it.
                if ledger.isErased(delivery.offset) { continue }
                try judge(delivery, [])
                continue
            }
            delivery.hasLost = ledger.hasLost(place.session)
            let reading = Reading(session: place.session, hiding: delivery.hiding)
            if sights[reading] == nil {
                sights[reading] = reference.sights(of: place.session, hiding: delivery.hiding)
            }
            try judge(delivery, sights[reading] ?? [])
        }
        deliveries.removeAll { $0.end <= written }
    }

    private struct Reading: Hashable {
        let session: SessionID
        let hiding: PrivacySettings?
    }

    private func judge(_ delivery: Delivery, _ sights: [Reference.Sight]) throws {
        guard let complaint = reference.complaint(about: delivery, sights) else { return }
        throw Violation(
            "share \(delivery.share.key.rawValue) was sent \(complaint): "
                + String(decoding: delivery.json, as: UTF8.self))
    }

    /// Checks that a viewer that is caught up has every event that was due at the first read.
    /// Events that wait for a trimmed finish may have become due since.
    func checkCaughtUp(
        _ index: Int, by catchUp: CatchUp, after: RecordOffset, began: Timestamp
    ) throws {
        let viewer = spectators[index]
        // Events that the delay has released meanwhile are still to come.
        guard viewer.share.delaySeconds == 0,
            catchUp.sources.allSatisfy({ $0.privacy == privacy(of: viewer.share).settings })
        else { return }
        let end = catchUp.sources.map(\.end).max() ?? after
        try reference.read(life.log.reader())
        for session in catchUp.sources.flatMap(\.sessions) where !ledger.hasLost(session) {
            let from = RecordOffset(rawValue: after.rawValue + 1)
            let until = RecordOffset(rawValue: end.rawValue + 1)
            try read(session, as: viewer.share, from: from, until: until, at: began) {
                offset, json in
                // A clock set forward ends a view whose records wait for the disk. The snapshot
                // shows it, and the reader does not know it yet.
                let isLeap =
                    steady < clockTouchedUntil && json.starts(with: #"{"type":"end""#.utf8)
                guard !isLeap, !viewer.events.contains(offset.rawValue),
                    wasReleased(
                        offset, of: session, to: viewer.share, by: began, through: catchUp.needed)
                else { return }
                throw Violation(
                    "viewer \(index) is caught up after \(after.rawValue), and has not had "
                        + String(decoding: json, as: UTF8.self))
            }
        }
    }

    /// Whether a record could be shown by a moment and a newest record, without waiting for more.
    private func wasReleased(
        _ offset: RecordOffset, of session: SessionID, to share: Share, by moment: Timestamp,
        through newest: RecordOffset
    ) -> Bool {
        let settings = privacy(of: share).settings
        guard share.hidesPlaces, settings.trimFinishMeters > 0,
            let place = reference.place(of: offset), place.session == session
        else { return true }
        let sight = reference.sights(of: session, hiding: settings)[place.index]
        guard let release = sight.release else { return false }
        if let by = release.by, by <= newest { return true }
        return release.at.advanced(bySeconds: FinishReference.lagSeconds) <= moment
    }

    /// Reads a page of history with and without an index, and compares them.
    func readHistory() throws {
        let share = shares[random.below(shares.count)]
        guard let device = share.device, share.isActive(at: now) else { return }
        let rule = ProjectionRule(share, privacy: privacy(of: share).settings)
        let sessions = life.log.sessions().filter { $0.device == device }
        guard let summary = sessions.randomElement(using: &random) else { return }
        let reader = life.log.reader()
        let length = Int(summary.lastOffset.rawValue - summary.firstOffset.rawValue) + 1
        let after = RecordOffset(
            rawValue: summary.firstOffset.rawValue + UInt64(random.below(length)))
        let index =
            rule == .everything
            ? nil
            : try ProjectionIndex.reading(
                summary, rule: rule, reader: reader, now: now)
        let pages = try [nil, index].map { index in
            try page(
                ShownRecords(
                    summary, rule: rule, index: index, reader: reader, epoch: life.log.epoch,
                    indexNow: { index }),
                of: share, after: after)
        }
        guard pages[0].map(\.json) == pages[1].map(\.json) else {
            throw Violation("history after \(after.rawValue) is another with an index")
        }
        for item in pages[0] {
            deliver(item.json, about: item.offset, to: share, privacy(of: share))
        }
    }

    /// Not inlined: Swift 6.3.1 in release traps on it in its callers.
    @inline(never)
    func privacy(of share: Share) -> Life.Privacy {
        share.device.flatMap { settings.1[$0] } ?? Life.Privacy()
    }

    /// The settings that a viewer's loop knows.
    @inline(never)
    func privacyInForce(for index: Int) -> Life.Privacy {
        let loop = life.loops[life.loopIndex(of: spectators[index].viewer(index))]
        return spectators[index].share.device.flatMap { loop.inForce[$0] } ?? Life.Privacy()
    }

    private func page(
        _ records: ShownRecords, of share: Share, after: RecordOffset
    ) throws -> [(offset: RecordOffset, json: [UInt8])] {
        let encoder = HistoryEncoder(epoch: life.log.epoch, scope: share.scope)
        var page: [(offset: RecordOffset, json: [UInt8])] = []
        var position = records.position(after: after)
        try records.read(
            from: &position, arrivedBy: share.shownArrivals(at: now), now: now
        ) { shown in
            guard page.count < 10 else { return false }
            if let json = encoder.item(of: shown.event, at: shown.offset) {
                page.append((shown.offset, json))
            }
            return true
        }
        return page
    }

    /// The discrete events of a session as a share's history shows them.
    func read(
        _ session: SessionID, as share: Share, from: RecordOffset, until: RecordOffset?,
        at time: Timestamp? = nil, _ body: (RecordOffset, [UInt8]) throws -> Void
    ) throws {
        let encoder = HistoryEncoder(epoch: life.log.epoch, scope: share.scope)
        let rule = ProjectionRule(share, privacy: privacy(of: share).settings)
        guard let records = try records(of: session, by: rule) else { return }
        var position = records.position(after: nil)
        var failure: (any Error)?
        try records.read(from: &position, arrivedBy: nil, now: time ?? life.flow.now) { shown in
            guard shown.offset >= from else { return true }
            guard until.map({ shown.offset < $0 }) ?? true else { return false }
            if case .metrics = shown.event.kind { return true }
            guard let json = encoder.item(of: shown.event, at: shown.offset) else { return true }
            do { try body(shown.offset, json) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
    }
}
