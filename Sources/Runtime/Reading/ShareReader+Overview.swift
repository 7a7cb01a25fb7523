import SegmentLog
import SensorModel
package import Sessions
package import Sharing

extension ShareReader {
    /// What an overview is asked for.
    package struct OverviewRequest: Sendable {
        /// The share, or all members of a group.
        package let sources: [CatchUp.Source]
        /// Index of the source whose overview is wanted.
        package let wanted: Int
        /// Maximum number of points.
        package let points: Int
        package let parts: OverviewParts
        package let inGroup: Bool
        package let isCompressed: Bool

        package init(
            sources: [CatchUp.Source], wanted: Int, points: Int, parts: OverviewParts,
            inGroup: Bool, isCompressed: Bool
        ) {
            self.sources = sources
            self.wanted = wanted
            self.points = points
            self.parts = parts
            self.inGroup = inGroup
            self.isCompressed = isCompressed
        }

        var form: Overviews.Form {
            Overviews.Form(
                points: points, parts: parts,
                runner: inGroup ? sources[wanted].share.runnerName : nil,
                isCompressed: isCompressed)
        }
    }

    /// Seconds for which a reading is not repeated: a page asks for all runners of a group within
    /// it, and many viewers may come at once. History after the overview's cursor has the rest.
    private static let freshSeconds = 1.0

    /// An answer that exists already; `nil`: it must be made on a thread of the pool.
    package func knownOverview(_ request: OverviewRequest) -> [UInt8]? {
        guard let key = overviewKey(of: request.sources[request.wanted])?.key,
            let entry = overviews.entry(at: key), isFresh(entry)
        else { return nil }
        return entry.answers[request.form]
    }

    /// Reads the overview of what a share shows. Runs on a thread of the pool.
    ///
    /// In a group, the overviews of all members are brought up to date in one pass over the log:
    /// whoever asks for one will ask for the others.
    ///
    /// - Parameters:
    ///   - request: What is wanted.
    ///   - compress: Compresses the answer, where the reader takes that.
    ///   - ticket: Ticket of the pool.
    /// - Returns: JSON, compressed if so requested.
    /// - Throws: ``SegmentLogError``, ``ReadRefusal/cancelled``
    package func overview(
        _ request: OverviewRequest, compress: ([UInt8]) -> [UInt8], _ ticket: ReadPool.Ticket
    ) throws -> [UInt8] {
        let source = request.sources[request.wanted]
        guard let key = overviewKey(of: source)?.key else {
            let empty = SessionOverview(epoch: log.epoch, scope: source.share.scope)
            return answer(empty, request.form, compress)
        }
        let known: Overviews.Entry
        if let entry = overviews.entry(at: key), isFresh(entry) {
            known = entry
        } else {
            let made = try readOverviews(of: request.sources, wanted: key, ticket)
            guard let made else { throw ReadRefusal.cancelled }
            guard let entry = overviews.entry(at: key), isFresh(entry) else {
                // It could not be kept, because sessions were forgotten meanwhile.
                return answer(made, request.form, compress)
            }
            known = entry
        }
        if let answer = known.answers[request.form] { return answer }
        let made = answer(known.overview, request.form, compress)
        overviews.keep(made, as: request.form, at: key, readAt: known.readAt)
        return made
    }

    private func answer(
        _ overview: SessionOverview, _ form: Overviews.Form, _ compress: ([UInt8]) -> [UInt8]
    ) -> [UInt8] {
        let json = overview.json(points: form.points, runner: form.runner, parts: form.parts)
        return form.isCompressed ? compress(json) : json
    }

    private func isFresh(_ entry: Overviews.Entry) -> Bool {
        guard let readAt = entry.readAt else { return false }
        // A clock that was set back makes it look old.
        return (0..<Self.freshSeconds).contains(clock().seconds(since: readAt))
    }

    func overviewKey(
        of source: CatchUp.Source
    ) -> (key: Overviews.Key, summary: SessionSummary)? {
        guard let session = source.sessions.first, let summary = catalog.summary(of: session) else {
            return nil
        }
        let key = Overviews.Key(
            session: session, device: summary.device, firstOffset: summary.firstOffset,
            rule: source.rule, scope: source.share.scope,
            delaySeconds: source.share.delaySeconds, secondsLate: source.secondsLate)
        return (key, summary)
    }

    // MARK: Reading

    /// One overview that is being brought up to date.
    private struct Update {
        let key: Overviews.Key
        let source: CatchUp.Source
        let summary: SessionSummary
        var entry: Overviews.Entry

        mutating func take(_ shown: ShownEvent) {
            entry.overview.take(shown.seen(in: key.scope), at: shown.offset)
        }
    }

    /// - Returns: The wanted one; `nil` if it was cancelled. What was read until then is kept.
    private func readOverviews(
        of sources: [CatchUp.Source], wanted: Overviews.Key, _ ticket: ReadPool.Ticket
    ) throws -> SessionOverview? {
        let reading = overviews.begin()
        defer { overviews.end(reading) }
        let now = clock()
        // Before the summaries are asked for, which say how far to read.
        let decidable = log.reader().decidable(at: now)
        var updates: [Update] = []
        for source in sources {
            guard let (key, summary) = overviewKey(of: source),
                !updates.contains(where: { $0.key == key })
            else { continue }
            let entry = try begun(key, summary, at: now, ticket)
            guard key == wanted || !isFresh(entry) else { continue }
            updates.append(Update(key: key, source: source, summary: summary, entry: entry))
        }
        var done: Set<Int> = []
        defer {
            // A long reading is as fresh as its end: a page asks for the others after it.
            let end = max(now, clock())
            for (index, update) in updates.enumerated() {
                var entry = update.entry
                entry.answers = [:]
                if done.contains(index) {
                    (entry.records, entry.readAt) = (update.summary.records, end)
                }
                overviews.keep(entry, at: update.key, of: reading)
            }
        }
        let together = updates.indices.filter {
            !updates[$0].key.rule.holdsBack
                && updates[$0].entry.records != updates[$0].summary.records
        }
        try read(together, of: &updates, done: &done, at: now, decidable, ticket)
        for index in updates.indices where !done.contains(index) {
            guard !ticket.isCancelled else { return nil }
            guard try read(&updates[index], at: now, ticket) else { return nil }
            done.insert(index)
        }
        return updates.first { $0.key == wanted }?.entry.overview
    }

    /// The overview of an earlier reading, or an empty one.
    private func begun(
        _ key: Overviews.Key, _ summary: SessionSummary, at now: Timestamp,
        _ ticket: ReadPool.Ticket
    ) throws -> Overviews.Entry {
        // After the clock was set back, time has decided too much; records may be gone.
        if let known = overviews.entry(at: key), known.records <= summary.records,
            known.readAt.map({ $0 <= now }) ?? true
        {
            return known
        }
        let records = ShownRecords(
            summary, rule: key.rule, index: nil, reader: log.reader(), epoch: log.epoch)
        return Overviews.Entry(
            overview: SessionOverview(epoch: log.epoch, scope: key.scope),
            position: records.position(after: nil))
    }

    /// Reads several sessions in one pass over the log.
    private func read(
        _ indices: [Int], of updates: inout [Update], done: inout Set<Int>, at now: Timestamp,
        _ decidable: Timestamp, _ ticket: ReadPool.Ticket
    ) throws {
        guard indices.count > 1 else { return }
        var parts = indices.map { index in
            let update = updates[index]
            return ShownRecords.Part(
                session: update.key.session, position: update.entry.position,
                arrivedBy: update.source.shownArrivals(at: now), last: update.summary.lastOffset)
        }
        let isWhole = try ShownRecords.read(
            together: &parts, reader: log.reader(), now: decidable,
            isCancelled: { ticket.isCancelled },
            { updates[indices[$0]].take($1) })
        for (part, index) in zip(parts, indices) {
            updates[index].entry.position = part.position
            if isWhole { done.insert(index) }
        }
    }

    /// - Returns: `false` if it was cancelled.
    private func read(
        _ update: inout Update, at now: Timestamp, _ ticket: ReadPool.Ticket
    ) throws -> Bool {
        let key = update.key
        // What a rule holds back is found by its index, which memory has once for all readers.
        let records =
            key.rule.holdsBack
            ? try self.records(of: key.session, by: key.rule, ticket)
            : ShownRecords(
                update.summary, rule: key.rule, index: nil, reader: log.reader(),
                epoch: log.epoch, isCancelled: { ticket.isCancelled })
        guard let records else { return false }
        var position = update.entry.position
        let ending = try records.read(
            from: &position, arrivedBy: update.source.shownArrivals(at: now), now: now
        ) { shown in
            update.take(shown)
            return true
        }
        update.entry.position = position
        return ending != .cancelled
    }
}
