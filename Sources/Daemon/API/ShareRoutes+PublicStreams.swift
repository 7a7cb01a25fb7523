import SegmentLog
import SensorModel
import Sessions
import Sharing
import Transport

/// The reference application's public streams, and their Firebase form.
extension ShareRoutes {
    private static let samplesMax = 10_000
    private static let keepAliveSeconds = 30

    func publicLatest(_ request: HTTPRequest) async -> HTTPResponse {
        await publicAnswer(to: request) { LatestNews(shares: self, share: $0) }
    }

    func publicHistory(_ request: HTTPRequest) async -> HTTPResponse {
        guard let limit = request.query["limitToLast"].map({ Int($0) }) ?? 1000,
            (1...Self.samplesMax).contains(limit)
        else {
            return APIRefusal.badField(name: "limitToLast", allowed: "1 to 10000").response
        }
        // Firebase's readers quote a key.
        let start = request.query["startAt"].map { Int64($0.filter { $0 != "\"" }) }
        if case .some(nil) = start {
            return APIRefusal.badField(name: "startAt", allowed: "milliseconds since 1970").response
        }
        return await publicAnswer(to: request) {
            HeartRateNews(
                shares: self, share: $0, startAt: start.flatMap { $0 }, limit: limit)
        }
    }

    /// The data once, or as a stream of `put` events, as the reader asked.
    private func publicAnswer(
        to request: HTTPRequest, _ news: (Share) -> any PublicStreamNews
    ) async -> HTTPResponse {
        switch share(request) {
        case .failure(let refusal): return refusal.response
        case .success(let share) where !share.scope.contains(.heartRate):
            return Self.noStore(.json(PublicStreams.latest(nil)))
        case .success(let share):
            var news = news(share)
            let wantsStream = request.fields["accept"]?.contains("text/event-stream") ?? false
            guard wantsStream else { return Self.noStore(.json(await news.whole())) }
            if case .failure(let refusal) = desk.room(at: share) {
                return ShareRefusal(refusal).response
            }
            return Self.noStore(stream(news, of: share))
        }
    }

    private func stream(_ news: any PublicStreamNews, of share: Share) -> HTTPResponse {
        HTTPResponse(
            status: 200, fields: ["Content-Type": "text/event-stream"],
            body: .stream { writer in
                _ = try await whileCounted(share) { try await tell(writer, news, of: share) }
            })
    }

    private func tell(
        _ writer: HTTPBodyWriter, _ news: any PublicStreamNews, of share: Share
    ) async throws {
        var news = news
        var silentSeconds = 0
        while isOpen(share) {
            if let event = await news.next() {
                try await writer.write(event)
                silentSeconds = 0
            }
            if silentSeconds >= Self.keepAliveSeconds {
                try await writer.write(PublicStreams.keepAlive)
                silentSeconds = 0
            }
            try await Task.sleep(for: .seconds(1))
            silentSeconds += 1
        }
    }

    /// The heart rate a share shows now.
    func reading(of share: Share) async -> HeartRateReading? {
        guard share.scope.contains(.heartRate) else { return nil }
        let member = members(of: share).first ?? share
        return await pipeline.mailbox.ask { core in
            _ = core.sessionShown(by: member)
            let snapshot = core.board.snapshot(member.key, cursor: core.cursor, at: core.now)
            core.board.dropUnwatched(member.key)
            return snapshot?.heartRate
        } ?? nil
    }
}

/// One path of the public streams, for one reader.
private protocol PublicStreamNews: Sendable {
    /// All there is, as JSON.
    mutating func whole() async -> [UInt8]

    /// The event to send: all there is, at first and whenever it has changed; else `nil`.
    mutating func next() async -> [UInt8]?
}

/// The heart rate now: each replaces the one before.
private struct LatestNews: PublicStreamNews {
    let shares: ShareRoutes
    let share: Share
    private var last: [UInt8]?

    init(shares: ShareRoutes, share: Share) {
        self.shares = shares
        self.share = share
    }

    func whole() async -> [UInt8] {
        PublicStreams.latest(await shares.reading(of: share))
    }

    mutating func next() async -> [UInt8]? {
        let now = await whole()
        defer { last = now }
        return now == last ? nil : PublicStreams.put(now)
    }
}

/// The last heart rates of the session shown. Each is read from the log once and kept here, so that
/// a stream costs no more the longer the session is.
private struct HeartRateNews: PublicStreamNews {
    let shares: ShareRoutes
    let share: Share
    /// Milliseconds since 1970.
    let startAt: Int64?
    let limit: Int
    private var hasTold = false
    private var session: SessionID?
    /// Where the next reading begins; `nil`: with the session.
    private var offset: RecordOffset?
    /// What the reader has, oldest first.
    private var told: [HeartRateReading] = []

    init(shares: ShareRoutes, share: Share, startAt: Int64?, limit: Int) {
        self.shares = shares
        self.share = share
        self.startAt = startAt
        self.limit = limit
    }

    mutating func whole() async -> [UInt8] {
        PublicStreams.history(await readings())
    }

    mutating func next() async -> [UInt8]? {
        let before = session
        let readings = await readings()
        let isFirst = !hasTold || session != before
        hasTold = true
        if isFirst { told = [] }
        let last = told.last?.measuredAt.milliseconds ?? .min
        let news = PublicStreams.keyed(readings, after: last).map(\.reading)
        guard isFirst || !news.isEmpty else { return nil }
        told = (told + news).suffix(limit)
        return PublicStreams.put(PublicStreams.history(told))
    }

    /// What was recorded since the last time, of the session shown now.
    private mutating func readings() async -> [HeartRateReading] {
        let member = shares.members(of: share).first ?? share
        let shown = await shares.pipeline.mailbox.ask { core in
            core.log.flush()
            let session = core.board.session(shownBy: member, at: core.now)
            return session.map { (session: $0, end: core.cursor.offset) }
        }
        guard let shown = shown ?? nil else {
            session = nil
            return []
        }
        if shown.session != session { offset = nil }
        session = shown.session
        let reader = shares.pipeline.history
        let (start, startAt, limit) = (offset, startAt, limit)
        let arrivedBy = member.shownArrivals(at: shares.clock())
        let read = await shares.pipeline.background.run {
            reader.log.waitUntilWritten(through: shown.end)
            return reader.heartRates(
                of: shown.session, from: start, startAtMilliseconds: startAt,
                arrivedBy: arrivedBy, limit: limit)
        }
        offset = read.next
        return read.readings
    }
}
