import Interchange
import Processing
import Registry
import Replay
import SegmentLog
import SensorModel
import Sessions
import Transport

/// Recorded sessions: listed, shown, exported, verified, deleted, played again.
struct SessionRoutes: Sendable {
    let administration: Administration
    let pipeline: Pipeline
    let clock: @Sendable () -> Timestamp

    func add(to router: inout Router) {
        router.add(.get, "/sessions") { request in await answer { try await list(request) } }
        router.add(.get, "/sessions/:id") { request in
            await answer {
                let summary = try summary(request)
                return JSONBody.response(await row(of: summary))
            }
        }
        router.add(.delete, "/sessions/:id") { request in
            await answer {
                let summary = try summary(request)
                let bytes = try await administration.deleteSession(summary.session)
                return JSONBody.response(SessionsErased(sessionsErased: 1, bytesErased: bytes))
            }
        }
        router.add(.get, "/sessions/:id/export") { request in
            await answer { try await export(request, of: try summary(request)) }
        }
    }

    /// A list with the metrics of every session of years would read too much of the log.
    private static let rowsWithMetricsMax = 500

    private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        let wanted = try request.query["device"].map { try administration.known($0).id }
        return JSONBody.response(await rows(of: wanted))
    }

    /// Newest first; the metrics are of the newest ``rowsWithMetricsMax``.
    func rows(of device: DeviceID?) async -> [SessionRow] {
        var rows: [SessionRow] = []
        for summary in summaries(of: device) {
            let isRecent = rows.count < Self.rowsWithMetricsMax
            let metrics = isRecent ? await newestMetrics(of: summary.session) : nil
            let name = name(of: summary.device)
            rows.append(row(of: summary, device: name, metrics))
        }
        return rows
    }

    func summaries(of device: DeviceID?) -> [LoggedSession] {
        pipeline.log.sessions()
            .filter { device == nil || $0.device == device }
            .sorted { $0.firstOffset > $1.firstOffset }
    }

    func row(of summary: LoggedSession) async -> SessionRow {
        let metrics = await newestMetrics(of: summary.session)
        return row(of: summary, device: name(of: summary.device), metrics)
    }

    private func row(
        of summary: LoggedSession, device: String?, _ metrics: Metrics?
    ) -> SessionRow {
        let silence = clock().seconds(since: summary.arrivalTimes.upperBound)
        return SessionRow(
            summary, device: device, metrics: metrics,
            isSilent: silence > pipeline.silenceSeconds)
    }

    private func name(of device: DeviceID) -> String? {
        administration.accounts.device(device)?.name
    }

    /// The metrics a session ended with, or has now.
    func newestMetrics(of session: SessionID) async -> Metrics? {
        let live = await pipeline.mailbox.ask { core -> Metrics? in
            core.sessions[session]?.computation?.processors.pipeline.metrics
        }
        if let live = live ?? nil { return live }
        let log = pipeline.log
        return await pipeline.background.run {
            let reader = log.reader()
            guard
                let offset = try? reader.newest(
                    .metric, of: session, notAfter: Timestamp(microseconds: .max))
            else { return nil }
            var metrics: Metrics?
            _ = try? reader.read(from: offset, session: session) { header, payload in
                guard let record = try? SessionRecord(header, payload: payload) else {
                    return false
                }
                if case .event(let event) = record, case .metrics(let found) = event.kind {
                    metrics = found
                }
                return header.offset <= offset
            }
            return metrics
        }
    }

    func summary(_ request: HTTPRequest) throws -> LoggedSession {
        let text = request.parameters["id"] ?? ""
        guard let id = SessionID(text) else {
            throw APIRefusal.badField(name: "id", allowed: "a session's UUID")
        }
        guard let summary = pipeline.log.summary(of: id) else {
            throw AdministrationError.unknownSession(id)
        }
        return summary
    }

    func export(
        _ request: HTTPRequest, of summary: LoggedSession
    ) async throws -> HTTPResponse {
        let formats = ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
        guard let format = request.query["format"].flatMap(ExportFormat.init(rawValue:)) else {
            throw APIRefusal.badField(name: "format", allowed: formats)
        }
        let log = pipeline.log
        let device = name(of: summary.device) ?? "device-\(summary.device.rawValue)"
        let name = "\(summary.session).\(format.fileExtension)"
        let background = pipeline.background
        return HTTPResponse(
            status: 200,
            fields: [
                "Content-Type": format.contentType, "Cache-Control": "no-store",
                "Content-Disposition": "attachment; filename=\"\(name)\"",
            ],
            body: .stream { writer in
                let chunks = AsyncThrowingStream<[UInt8], any Error> { continuation in
                    background.start {
                        let result = Result {
                            try SessionExporter(reader: log.reader(), device: device)
                                .export(summary.session, as: format) { bytes in
                                    continuation.yield(bytes)
                                }
                        }
                        switch result {
                        case .success: continuation.finish()
                        case .failure(let error): continuation.finish(throwing: error)
                        }
                    }
                }
                for try await chunk in chunks { try await writer.write(chunk) }
            })
    }

    /// The session as one page that needs no network.
    func report(of summary: LoggedSession) async throws -> HTTPResponse {
        let log = pipeline.log
        log.flush()
        let title = name(of: summary.device) ?? "device-\(summary.device.rawValue)"
        let result = await pipeline.background.run {
            Result {
                try SessionReporter(reader: log.reader())
                    .html(of: summary.session, title: title)
            }
        }
        return HTTPResponse(
            status: 200,
            fields: [
                "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
                "Content-Disposition": "attachment; filename=\"\(summary.session).html\"",
            ], body: .bytes(try result.get()))
    }
}

/// One session, as listings show it.
struct SessionRow: Encodable {
    let id: String
    let device: String?
    let startedAt: Double
    let endedAt: NullableField<Double>
    let state: String
    let frames: Int
    let records: Int
    let lastDeviceTime: NullableField<Double>
    let distanceMeters: NullableField<Double>
    let movingSeconds: NullableField<Double>
    let elapsedSeconds: NullableField<Double>
    let steps: NullableField<Int>
    let averageHeartRate: NullableField<Double>
    let maxHeartRate: NullableField<Double>
    let elevationGainMeters: NullableField<Double>

    init(
        _ summary: LoggedSession, device: String?, metrics: Metrics?, isSilent: Bool
    ) {
        id = "\(summary.session)"
        self.device = device
        // Of the run, not of its upload, as snapshots have it.
        let times = summary.deviceTimes ?? summary.arrivalTimes
        startedAt = times.lowerBound.secondsSince1970
        let isOver = metrics.map { $0.state == .ended } ?? isSilent
        endedAt = NullableField(isOver ? times.upperBound.secondsSince1970 : nil)
        state = metrics?.state.name ?? (isOver ? "ended" : "live")
        frames = summary.frames
        records = summary.records
        lastDeviceTime = NullableField(summary.deviceTimes?.upperBound.secondsSince1970)
        distanceMeters = NullableField(metrics?.distanceMeters)
        movingSeconds = NullableField(metrics?.movingSeconds)
        elapsedSeconds = NullableField(metrics?.elapsedSeconds)
        steps = NullableField(metrics?.steps)
        averageHeartRate = NullableField(metrics?.averageHeartRate)
        maxHeartRate = NullableField(metrics?.maxHeartRate)
        elevationGainMeters = NullableField(metrics?.elevationGainMeters)
    }
}
