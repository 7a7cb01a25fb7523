import Processing
import Recordings
import Registry
package import Runtime
package import SegmentLog
package import SensorModel
import Sessions
package import Transport

/// Endpoints of recorded sessions: list, show, export, verify, delete and play.
package struct SessionRoutes: Sendable {
    package let administration: Administration
    package let pipeline: Pipeline
    package let clock: @Sendable () -> Timestamp

    package init(
        administration: Administration, pipeline: Pipeline,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.administration = administration
        self.pipeline = pipeline
        self.clock = clock
    }

    private var catalog: SessionCatalog { administration.catalog }

    package func add(to router: inout Router) {
        router.add(.get, "/sessions") { request in await answer { try await list(request) } }
        router.add(.delete, "/sessions") { request in
            await answer {
                // Deleting the sessions of all devices at once would be a mistake.
                guard request.query["orphans"] == "true" else {
                    throw APIRefusal.badField(name: "orphans", allowed: "true")
                }
                let erased = try await administration.deleteOrphans()
                return JSONBody.response(
                    SessionsErased(sessionsErased: erased.sessions, bytesErased: erased.bytes))
            }
        }
        router.add(.get, "/sessions/:id") { request in
            await answer {
                let summary = try named(request)
                return JSONBody.response(try await row(of: summary))
            }
        }
        router.add(.patch, "/sessions/:id") { request in
            await answer { try changeNote(request, of: try named(request)) }
        }
        router.add(.delete, "/sessions/:id") { request in
            await answer {
                let summary = try named(request)
                let bytes = try await administration.deleteSession(summary.session)
                return JSONBody.response(SessionsErased(sessionsErased: 1, bytesErased: bytes))
            }
        }
        router.add(.get, "/sessions/:id/export") { request in
            await answer { try await export(request, of: try named(request)) }
        }
    }

    // MARK: Lists

    private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        if request.query["orphans"] == "true" {
            return try await page(
                request, of: administration.orphanOwner, path: "/sessions", [("orphans", "true")])
        }
        let name = request.query["device"]
        let owner: SessionCatalog.Owner =
            try name.map { .device(try administration.known($0).id) } ?? .anybody
        return try await page(
            request, of: owner, path: "/sessions",
            name.map { [("device", $0)] } ?? [])
    }

    /// One page of a list, newest first. `Link` names the next page, if there is one.
    ///
    /// - Parameters:
    ///   - request: Request whose query selects the page.
    ///   - owner: Owner of the sessions.
    ///   - path: Path of the list.
    ///   - others: Other query items for the address of the next page.
    /// - Returns: A JSON array.
    /// - Throws: ``APIRefusal``, ``ReadRefusal``
    package func page(
        _ request: HTTPRequest, of owner: SessionCatalog.Owner, path: String,
        _ others: [(name: String, value: String)] = []
    ) async throws -> HTTPResponse {
        let query = try SessionPageQuery(request)
        let epoch = pipeline.log.epoch
        guard query.before.map({ $0.epoch == epoch }) ?? true else {
            throw APIRefusal.badField(
                name: "before", allowed: "a cursor of this log, whose epoch is \(epoch)")
        }
        let page = try await page(query, of: owner)
        var response = JSONBody.response(try await rows(of: page.sessions, for: owner.party))
        if page.more, let last = page.sessions.last {
            response.fields["Link"] = query.link(
                to: path, after: LogCursor(epoch: epoch, offset: last.firstOffset), others)
        }
        return response
    }

    private func page(
        _ query: SessionPageQuery, of owner: SessionCatalog.Owner
    ) async throws -> (sessions: [SessionSummary], more: Bool) {
        let (before, since) = (query.before?.offset, query.since)
        guard let text = query.search else {
            return catalog.page(of: owner, before: before, since: since, limit: query.limit)
        }
        // Of one device no other's time zone matters.
        let accounts = administration.accounts
        let devices =
            switch owner {
            case .device(let id): [accounts.device(id)].compactMap(\.self)
            case .anybody, .nobody: accounts.devices
            }
        let zones = devices.map { ($0.id, $0.profile.timeZone) }
        return try await pipeline.results.page(
            of: owner, before: before, since: since, limit: query.limit,
            matching: SessionSearch(
                text, timeZones: Dictionary(zones) { first, _ in first }),
            in: pipeline.reader.pool, for: owner.party)
    }

    package func row(of summary: SessionSummary) async throws -> SessionRow {
        try await rows(of: [summary], for: .device(summary.device))[0]
    }

    func rows(
        of sessions: [SessionSummary], for party: ReadParty
    ) async throws -> [SessionRow] {
        let totals = try await totals(of: sessions, for: party).known
        let (results, ids) = (pipeline.results, sessions.map(\.session))
        let notes = try await pipeline.reader.pool.run(for: party) { _ in
            try results.notes(of: ids)
        }
        let (now, epoch) = (clock(), pipeline.log.epoch)
        return sessions.map { summary in
            SessionRow(
                summary, epoch: epoch, device: name(of: summary.device),
                totals: totals[summary.session], note: notes[summary.session],
                silence: now.seconds(since: summary.arrivalTimes.upperBound),
                silenceMax: pipeline.silenceSeconds)
        }
    }

    /// Totals of sessions, so far or final.
    ///
    /// - Parameters:
    ///   - sessions: Sessions, as the catalog lists them.
    ///   - party: Party that waits for its turn to read.
    ///   - limit: Sessions computed now at most, in the order of `sessions`.
    /// - Returns: The totals, none for a session without metrics; and the sessions whose totals are
    ///   still being computed.
    /// - Throws: ``ReadRefusal``
    func totals(
        of sessions: [SessionSummary], for party: ReadParty, computingMost limit: Int = .max
    ) async throws -> (known: [SessionID: SessionResult.Totals], missing: [SessionID]) {
        let held = sessions.map(\.session).filter(catalog.isHeld)
        let live =
            held.isEmpty
            ? nil
            : await pipeline.mailbox.ask { core in
                held.reduce(into: [SessionID: SessionResult.Totals]()) { totals, session in
                    let metrics = core.sessions[session]?.computation?.processors.pipeline.metrics
                    totals[session] = metrics.map(SessionResult.Totals.init)
                }
            }
        let known = live ?? [:]
        let others = sessions.filter { known[$0.session] == nil }
        guard !others.isEmpty else { return (known, []) }
        let found = try await pipeline.results.results(
            of: others, computingMost: limit, in: pipeline.reader.pool, for: party)
        let missing = others.lazy.map(\.session).filter { found[$0] == nil }
        if !missing.isEmpty { pipeline.upkeep.note(missing) }
        return (known.merging(found.compactMapValues(\.totals)) { live, _ in live }, Array(missing))
    }

    private func name(of device: DeviceID) -> String? {
        administration.accounts.device(device)?.name
    }

    // MARK: One session

    /// Changes what the owner wrote about a session.
    ///
    /// - Parameters:
    ///   - request: Request with the changed fields as its body.
    ///   - summary: The session.
    /// - Returns: The note after the change.
    /// - Throws: ``APIRefusal``, ``RegistryError``, ``AdministrationError``
    package func changeNote(
        _ request: HTTPRequest, of summary: SessionSummary
    ) throws -> HTTPResponse {
        let body = try JSONBody.decode(SessionNoteBody.self, of: request)
        let note = try pipeline.results.changeNote(of: summary.session, of: summary.device) {
            try body.applied(to: $0)
        }
        return JSONBody.response(SessionNoteRow(note))
    }

    /// Finds a session by its ID, by a unique prefix of it, or by `latest`.
    ///
    /// - Parameters:
    ///   - request: Request with the parameter `id`. A device in its query limits `latest` to the
    ///     device's sessions.
    ///   - device: Only its sessions are found: another's get the same answer as an unknown one;
    ///     `nil`: all.
    /// - Returns: The only matching session.
    /// - Throws: ``APIRefusal``, ``AdministrationError/unknownSession(_:)``
    package func named(
        _ request: HTTPRequest, of device: DeviceID? = nil
    ) throws -> SessionSummary {
        let text = request.parameters["id"] ?? ""
        if text == "latest" {
            let named = try request.query["device"].map { try administration.known($0).id }
            let owner = (device ?? named).map(SessionCatalog.Owner.device) ?? .anybody
            guard let newest = catalog.page(of: owner, limit: 1).sessions.first else {
                throw APIRefusal.notFound("there is no session yet")
            }
            return newest
        }
        if let id = SessionID(text) {
            guard let summary = catalog.summary(of: id), device == nil || summary.device == device
            else { throw AdministrationError.unknownSession(id) }
            return summary
        }
        guard let prefix = SessionPrefix(text) else {
            throw APIRefusal.badField(name: "id", allowed: SessionPrefix.allowed)
        }
        let found = catalog.sessions(withPrefix: prefix, of: device)
        guard let first = found.first else {
            throw APIRefusal.notFound("no session's ID begins with \(text)")
        }
        guard found.count == 1 else {
            throw APIRefusal.conflict("several sessions' IDs begin with \(text): give more of it")
        }
        return first
    }

    // MARK: Files

    /// Returns the format of the file that a request wants.
    static func format(of request: HTTPRequest) throws(APIRefusal) -> ExportFormat {
        guard let format = request.query["format"].flatMap(ExportFormat.init(rawValue:)) else {
            let formats = ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badField(name: "format", allowed: formats)
        }
        return format
    }

    package func export(
        _ request: HTTPRequest, of summary: SessionSummary
    ) async throws -> HTTPResponse {
        let format = try Self.format(of: request)
        let name = "\(summary.session).\(format.fileExtension)"
        let file = try await known(summary) {
            try await SessionFile(
                of: summary, as: format, device: self.name(of: summary.device), from: pipeline)
        }
        return HTTPResponse(
            status: 200,
            fields: [
                "Content-Type": format.contentType, "Cache-Control": "no-store",
                "Content-Disposition": "attachment; filename=\"\(name)\"",
            ],
            body: .stream { writer in
                var file = file
                while let part = try await file.nextPart() { try await writer.write(part) }
            })
    }

    /// Returns the session as one HTML page that needs no network.
    package func report(of summary: SessionSummary) async throws -> HTTPResponse {
        let log = pipeline.log
        log.flush()
        let title = name(of: summary.device) ?? "device-\(summary.device.rawValue)"
        let reservation = try pipeline.exports.begin(summary.device)
        let results = pipeline.results
        let html = try await read(summary) { ticket in
            let note = try results.notes(of: [summary.session])[summary.session]
            return try reservation.reading { hasRoom in
                try SessionReporter(reader: log.reader()).html(
                    of: summary.session, title: note?.name ?? title, hasRoom: hasRoom,
                    isCancelled: { ticket.isCancelled })
            }
        }
        return HTTPResponse(
            status: 200,
            fields: [
                "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
                "Content-Disposition": "attachment; filename=\"\(summary.session).html\"",
            ], body: .bytes(html))
    }

    /// Reads a session on a thread of the pool.
    private func read<Result: Sendable>(
        _ summary: SessionSummary, _ body: @escaping @Sendable (ReadPool.Ticket) throws -> Result
    ) async throws -> Result {
        try await known(summary) {
            try await pipeline.reader.pool.run(for: .device(summary.device), body)
        }
    }

    /// A session that is erased meanwhile is unknown.
    private func known<Result>(
        _ summary: SessionSummary, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch is SessionReadError where catalog.summary(of: summary.session) == nil {
            throw AdministrationError.unknownSession(summary.session)
        }
    }
}

extension SessionCatalog.Owner {
    /// Party that waits for a turn to read.
    fileprivate var party: ReadParty {
        if case .device(let device) = self { .device(device) } else { .administrator }
    }
}
