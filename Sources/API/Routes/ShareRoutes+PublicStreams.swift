import Runtime
import SensorModel
import Sessions
import Sharing
import Transport

/// The reference application's public streams, and their Firebase form.
extension ShareRoutes {
    private static let keepAlive = Duration.seconds(30)

    func publicLatest(_ request: HTTPRequest) async -> HTTPResponse {
        await publicAnswer(to: request, as: .latest)
    }

    func publicHistory(_ request: HTTPRequest) async -> HTTPResponse {
        do {
            let query = try PublicHistoryQuery(request.query)
            return await publicAnswer(
                to: request, as: .history(startAt: query.startAt, limit: query.limit))
        } catch { return error.response }
    }

    /// One path of the public streams.
    private enum PublicPath: Sendable {
        /// The current heart rate; each value replaces the previous one.
        case latest
        /// The last heart rates of the session shown.
        case history(startAt: Int64?, limit: Int)
    }

    /// The data once, or a stream of `put` events if the request asks for one.
    private func publicAnswer(
        to request: HTTPRequest, as path: PublicPath
    ) async -> HTTPResponse {
        switch share(request) {
        case .failure(let refusal): return refusal.response
        case .success(let share):
            let wantsStream = request.fields["accept"]?.contains("text/event-stream") ?? false
            let member = members(of: share).first ?? share
            // A group does not show what its member does not show.
            guard wantsStream, member.scope.contains(.heartRate) else {
                do {
                    return Self.noStore(
                        .json(try await publicData(of: member, by: share, request.peer, path)))
                } catch { return ReadAnswer.response(to: error) }
            }
            if case .failure(let refusal) = service.room(at: share) {
                return ShareRefusal(refusal).response
            }
            var hasRoom = pipeline.heartRates.withPlaces {
                $0.hasRoom(1, for: LinkParty(share.key, of: share.device))
            }
            if case .history = path { hasRoom = hasRoom && historyReaders.hasRoom(for: share.key) }
            guard hasRoom else {
                return ShareRefusal.tooMany(
                    retryAfterSeconds: ViewerService.retryWhenFullSeconds
                ).response
            }
            return Self.noStore(
                HTTPResponse(
                    status: 200, fields: ["Content-Type": "text/event-stream"],
                    body: .stream { writer in
                        _ = try await whileCounted(share) {
                            try await tell(writer, member, by: share, request.peer, path)
                        }
                    }))
        }
    }

    private func publicData(
        of member: Share, by link: Share, _ peer: PeerAddress, _ path: PublicPath
    ) async throws -> [UInt8] {
        switch path {
        case .latest: PublicStreams.latest(try await reading(of: member, by: link, peer))
        case .history(let startAt, let limit):
            PublicStreams.history(
                try await readings(of: member, by: link, peer, startAt: startAt, limit: limit))
        }
    }

    // MARK: Streams

    private func tell(
        _ writer: HTTPBodyWriter, _ member: Share, by link: Share, _ peer: PeerAddress,
        _ path: PublicPath
    ) async throws {
        switch path {
        case .latest:
            try await withKeepAlive(every: Self.keepAlive, to: writer) { write in
                for await news in readings(of: member, by: link) {
                    try await write(PublicStreams.put(PublicStreams.latest(news.reading)))
                }
            }
        case .history(let startAt, let limit):
            let limit = min(limit, HistoryReaders.readingsMax)
            try await historyReaders.whileCounted(link.key) {
                try await withKeepAlive(every: Self.keepAlive, to: writer) { write in
                    try await tellHistory(write, member, by: link, limit: limit) {
                        try await readings(
                            of: member, by: link, peer, startAt: startAt, limit: limit)
                    }
                }
            }
        }
    }

    /// Sends the history that `read` returns, then the whole history again with each reading.
    private func tellHistory(
        _ write: @Sendable ([UInt8]) async throws -> Void, _ member: Share, by link: Share,
        limit: Int, _ read: () async throws -> [HeartRateReading]
    ) async throws {
        var told: [HeartRateReading] = []
        var session: Int?
        for await news in readings(of: member, by: link) {
            if news.session != session {
                session = news.session
                guard let read = try await Self.unchanged(read) else { return }
                told = read
            } else {
                let last = told.last?.measuredAt.milliseconds ?? .min
                let fresh = PublicStreams.keyed([news.reading].compactMap { $0 }, after: last)
                guard !fresh.isEmpty else { continue }
                told = (told + fresh.map(\.reading)).suffix(limit)
            }
            try await write(PublicStreams.put(PublicStreams.history(told)))
        }
    }

    /// Repeats `read` while owners change what the link shows; `nil`: the link is over.
    private static func unchanged(
        _ read: () async throws -> [HeartRateReading]
    ) async throws -> [HeartRateReading]? {
        while true {
            do { return try await read() } catch ShareRefusal.changed {
                try Task.checkCancellation()
            } catch ShareRefusal.unknown { return nil }
        }
    }

    // MARK: Readings

    /// The heart rate that a device's share shows now.
    ///
    /// - Throws: The reason why the session that the share shows is not known now, see
    ///   ``ShareReader/resolve(_:for:from:)``.
    func reading(
        of member: Share, by link: Share, _ peer: PeerAddress
    ) async throws -> HeartRateReading? {
        try await pipeline.reader.resolve(
            [member], for: .share(link.key), from: .address(peer.key))
        return try await pipeline.mailbox.answerForReader { core in
            guard core.standing(of: [], for: link) == .holds else { return nil }
            _ = core.sessionShown(by: member)
            let snapshot = core.hub.snapshot(member.key, cursor: core.cursor, at: core.now)
            core.hub.dropUnwatched(member.key)
            return snapshot?.heartRate
        }
    }

    private func readings(
        of member: Share, by link: Share, _ peer: PeerAddress, startAt: Int64?, limit: Int
    ) async throws -> [HeartRateReading] {
        let (reader, begin) = (pipeline.reader, ContinuousClock.now)
        try await reader.resolve([member], for: .share(link.key), from: .address(peer.key))
        guard let source = try await shown(by: [member], after: nil).first,
            let session = source.sessions.first
        else { return [] }
        // Hidden records must not be waited for.
        if source.rule == .everything { _ = await reader.isReadable(through: source.end) }
        let found = try await reader.pool.run(for: .share(link.key), from: .address(peer.key)) {
            ticket in
            try reader.heartRates(
                of: session, source, startAtMilliseconds: startAt, limit: limit, ticket)
        }
        try await confirm([source], for: link)
        if source.rule != .everything { try await AnswerStep.wait(since: begin) }
        return found
    }
}
