import Foundation
import Registry
package import Runtime
import SegmentLog
package import SensorModel
package import Sessions
import Sharing
package import Transport

/// Endpoints that require a share's ID.
package struct ShareRoutes: Sendable {
    package let service: ViewerService
    package let pipeline: Pipeline
    package let accounts: Accounts
    package let clock: @Sendable () -> Timestamp
    let historyReaders = HistoryReaders()

    package init(
        service: ViewerService, pipeline: Pipeline, accounts: Accounts,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.service = service
        self.pipeline = pipeline
        self.accounts = accounts
        self.clock = clock
    }

    package func add(to router: inout Router) {
        router.add(.get, "/v1/shares/:share/live", .viewerSocket)
        router.add(.get, "/v1/shares/:share/events", .eventStream)
        router.add(.get, "/v1/shares/:share/latest") { await latest($0).tagged(for: $0).open() }
        router.add(.get, "/v1/shares/:share/history") { await history($0).open() }
        router.add(.get, "/v1/shares/:share/overview") { await overview($0).open() }
        router.add(.get, "/v1/shares/:share/week") { await week($0).open() }
        router.add(.post, "/v1/shares/:share/cheer", bodyBytesMax: 4096) { await cheer($0).open() }
        for name in ["latest", "history", "overview", "week"] {
            router.add(.options, "/v1/shares/:share/" + name) { _ in
                .preflight(headers: "If-None-Match")
            }
        }
        router.add(.options, "/v1/shares/:share/cheer") { _ in
            .preflight(methods: "POST", headers: "Content-Type")
        }
        router.add(.get, "/publicStreams/:share/latest.json") { await publicLatest($0).open() }
        router.add(.get, "/publicStreams/:share/heartRate.json") {
            await publicHistory($0).open()
        }
    }

    /// The share, or the refusal, which is the same for unknown, revoked and expired shares.
    package func share(_ request: HTTPRequest) -> Result<Share, ShareRefusal> {
        let text = request.parameters["share"] ?? ""
        return service.find(text, peer: request.peer).mapError(ShareRefusal.init)
    }

    /// The members of a group, or the share itself.
    package func members(of share: Share) -> [Share] {
        let now = clock()
        return accounts.withState { $0.shares.feeds(of: share, at: now) }
    }

    // MARK: Latest and history

    private func latest(_ request: HTTPRequest) async -> HTTPResponse {
        switch share(request) {
        case .failure(let refusal): return refusal.response
        case .success(let share):
            let snapshots: [[UInt8]]
            do { snapshots = try await self.snapshots(of: share, for: request.peer) } catch {
                return ReadAnswer.response(to: error)
            }
            guard let first = snapshots.first else { return ShareRefusal.unknown.response }
            if share.device != nil { return Self.noStore(.json(first)) }
            var body = Array(#"{"type":"group","runners":["#.utf8)
            for (index, snapshot) in snapshots.enumerated() {
                if index > 0 { body.append(UInt8(ascii: ",")) }
                body.append(contentsOf: snapshot)
            }
            body.append(contentsOf: "]}".utf8)
            return Self.noStore(.json(body))
        }
    }

    private func history(_ request: HTTPRequest) async -> HTTPResponse {
        switch share(request) {
        case .failure(let refusal): return refusal.response
        case .success(let share):
            do {
                let query = try HistoryQuery(request.query)
                let page = try await page(
                    of: share, after: query.after, limit: query.limit, request.peer)
                return Self.noStore(.json(page))
            } catch let refusal as APIRefusal {
                return refusal.response
            } catch { return ReadAnswer.response(to: error) }
        }
    }

    /// One page of a history. A cursor of another log history gets a gap, and the page starts anew.
    private func page(
        of share: Share, after: LogCursor??, limit: Int, _ peer: PeerAddress
    ) async throws -> [UInt8] {
        let members = members(of: share)
        var offset: RecordOffset?
        var gap: [EncodedEvent] = []
        if let after {
            if let cursor = after, try await isShown(cursor, by: members, of: share, peer) {
                offset = cursor.offset
            } else {
                let zero = LogCursor(epoch: pipeline.log.epoch, offset: RecordOffset(rawValue: 0))
                let message = EventEncoder.historyGap(cursor: zero, time: clock())
                gap = [EncodedEvent(cursor: zero, json: message.json)]
            }
        }
        var pages: [ShareReader.Page] = []
        // The members of a group run at the same time, so each has about an equal part of the page.
        // Items read beyond its end are read again for the next page.
        let part = min(limit, max(64, 2 * limit / max(members.count, 1)))
        let sources = try await sources(of: members, after: offset, for: share, peer)
        for source in sources {
            pages.append(try await page(of: source, by: share, offset, part, peer))
        }
        try await confirm(sources, for: share)
        let page = ShareReader.Page.merged(pages, limit: limit)
        var body = Array(#"{"items":["#.utf8)
        for (index, item) in (gap + page.items).enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body.append(contentsOf: item.json)
        }
        // A reader that has everything gets its own cursor back, for the next request.
        let next = page.items.last?.cursor ?? gap.last?.cursor ?? after.flatMap { $0 }
        let cursor = next.map { "\"\($0)\"" } ?? "null"
        body.append(contentsOf: "],\"nextCursor\":\(cursor),\"more\":\(page.more)}".utf8)
        return body
    }

    private func isShown(
        _ cursor: LogCursor, by members: [Share], of share: Share, _ peer: PeerAddress
    ) async throws -> Bool {
        let sources = try await sources(of: members, after: cursor.offset, for: share, peer)
        let isShown = await pipeline.reader.isShown(
            cursor, by: sources, for: .share(share.key), from: .address(peer.key))
        guard let isShown else { throw ReadRefusal.busy }
        return isShown
    }

    /// Checks a finished read, before any of it is sent.
    ///
    /// - Throws: ``ShareRefusal/unknown`` if the link is over, ``ShareRefusal/changed`` if it must
    ///   be read again.
    func confirm(_ sources: [CatchUp.Source], for link: Share) async throws {
        switch try await pipeline.mailbox.answerForReader({ $0.standing(of: sources, for: link) }) {
        case .holds: return
        case .over: throw ShareRefusal.unknown
        case .changed: throw ShareRefusal.changed
        }
    }

    /// The members' sources, all held back as long as the latest of them.
    func sources(
        of members: [Share], after offset: RecordOffset?, for link: Share, _ peer: PeerAddress
    ) async throws -> [CatchUp.Source] {
        try await pipeline.reader.resolve(members, for: .share(link.key), from: .address(peer.key))
        var sources = try await shown(by: members, after: offset)
        let late = CatchUp.secondsLate(of: sources.map(\.rule))
        for index in sources.indices { sources[index].secondsLate = late }
        return sources
    }

    /// Sessions that devices' shares show: the current ones, or those with records after an offset.
    ///
    /// - Returns: One source per share.
    /// - Throws: ``ReadRefusal/cancelled``
    package func shown(
        by members: [Share], after: RecordOffset?
    ) async throws -> [CatchUp.Source] {
        try await pipeline.mailbox.answerForReader { core in
            core.log.flush()
            return members.map { member in
                let sessions =
                    after.map { core.hub.sessions(openTo: member, after: $0, at: core.now) }
                    ?? [core.hub.session(shownBy: member, at: core.now)].compactMap { $0 }
                return CatchUp.Source(
                    share: member, privacy: core.privacy(of: member), sessions: sessions,
                    end: core.cursor.offset)
            }
        }
    }

    private func page(
        of source: CatchUp.Source, by link: Share, _ after: RecordOffset?, _ limit: Int,
        _ peer: PeerAddress
    ) async throws -> ShareReader.Page {
        let reader = pipeline.reader
        // Records that a failed disk holds back are absent; the next page has them.
        if source.share.delaySeconds == 0 { _ = await reader.isReadable(through: source.end) }
        return try await reader.pool.run(for: .share(link.key), from: .address(peer.key)) {
            ticket in
            try reader.page(
                of: source, after: after, limit: limit, inGroup: link.device == nil, ticket)
        }
    }

    // MARK: Cheers

    private struct Cheer: Decodable {
        let text: String
    }

    private func cheer(_ request: HTTPRequest) async -> HTTPResponse {
        switch share(request) {
        case .failure(let refusal): return refusal.response
        case .success(let share):
            let now = clock()
            do throws(APIRefusal) {
                let body = try JSONBody.decode(Cheer.self, of: request)
                guard body.text.count <= Limits.cheerCharactersMax,
                    let text = CheerLimiter.clean(body.text)
                else {
                    throw APIRefusal.badField(
                        name: "text", allowed: "1 to \(Limits.cheerCharactersMax) characters")
                }
                let wait = accounts.withState {
                    $0.cheers.admit(to: share.key, from: request.peer.key, at: now)
                }
                if let wait { return ShareRefusal.tooMany(retryAfterSeconds: wait).response }
                accounts.note(.cheered, of: share.key, from: request.peer.key, at: now)
                for member in members(of: share) {
                    guard let device = member.device else { continue }
                    accounts.withState {
                        $0.cheersKept.keep(
                            RecentCheer(text: text, time: now.secondsSince1970), for: device)
                    }
                    pipeline.mailbox.post { $0.send(cheer: text, to: device) }
                }
                return HTTPResponse(status: 204)
            } catch { return error.response }
        }
    }

    static func noStore(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.fields.append("Cache-Control", "no-store")
        return response
    }
}
