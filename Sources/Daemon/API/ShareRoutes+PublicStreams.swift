import Logging
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Transport
import WireFormat

/// The reference application's public streams, and their Firebase form.
extension ShareRoutes {
    private static let samplesMax = 10_000

    func publicLatest(_ request: HTTPRequest) async -> HTTPResponse {
        await publicAnswer(request) { share in
            PublicStreams.latest(await reading(of: share))
        }
    }

    func publicHistory(_ request: HTTPRequest) async -> HTTPResponse {
        let limit = request.query["limitToLast"].flatMap { Int($0) } ?? 1000
        let start = request.query["startAt"].flatMap { Int64($0.filter { $0 != "\"" }) }
        guard (1...Self.samplesMax).contains(limit) else {
            return APIRefusal.badField(name: "limitToLast", allowed: "1 to 10000").response
        }
        return await publicAnswer(request) { share in
            PublicStreams.history(await readings(of: share, startAt: start, limit: limit))
        }
    }

    /// The data once, or as a stream of `put` events, as the reader asked.
    private func publicAnswer(
        _ request: HTTPRequest, _ data: @escaping @Sendable (Share) async -> [UInt8]
    ) async -> HTTPResponse {
        switch share(request) {
        case .failure(let refusal): return refusal.response
        case .success(let share) where !share.scope.contains(.heartRate):
            return Self.noStore(.json(PublicStreams.latest(nil)))
        case .success(let share):
            let wantsStream = request.fields["accept"]?.contains("text/event-stream") ?? false
            guard wantsStream else { return Self.noStore(.json(await data(share))) }
            return stream(of: share, data)
        }
    }

    private func stream(
        of share: Share, _ data: @escaping @Sendable (Share) async -> [UInt8]
    ) -> HTTPResponse {
        let keepAliveSeconds = 30
        var response = HTTPResponse(
            status: 200, fields: ["Content-Type": "text/event-stream"],
            body: .stream { writer in
                var last: [UInt8] = []
                var silentSeconds = 0
                while isOpen(share) {
                    let now = await data(share)
                    if now != last {
                        try await writer.write(PublicStreams.put(now))
                        last = now
                        silentSeconds = 0
                    } else if silentSeconds >= keepAliveSeconds {
                        try await writer.write(PublicStreams.keepAlive)
                        silentSeconds = 0
                    }
                    try await Task.sleep(for: .seconds(1))
                    silentSeconds += 1
                }
            })
        response.fields.append("Cache-Control", "no-store")
        return response
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

    private func readings(
        of share: Share, startAt: Int64?, limit: Int
    ) async -> [HeartRateReading] {
        guard
            let session = await pipeline.mailbox.ask({ core in
                core.log.flush()
                return core.board.session(shownBy: share, at: core.now)
            }) ?? nil
        else { return [] }
        let reader = pipeline.history
        let arrivedBy = share.shownArrivals(at: clock())
        return await pipeline.background.run {
            reader.heartRates(
                of: session, startAtMilliseconds: startAt, arrivedBy: arrivedBy, limit: limit)
        }
    }
}

extension HistoryReader {
    /// The last heart rates of a session, one a second at most, oldest first.
    func heartRates(
        of session: SessionID, startAtMilliseconds: Int64?, arrivedBy: Timestamp?, limit: Int
    ) -> [HeartRateReading] {
        guard let summary = log.summary(of: session) else { return [] }
        var readings: [HeartRateReading] = []
        do {
            try log.reader().read(from: summary.firstOffset, session: session) {
                header, payload in
                if let arrivedBy, header.arrivalTime > arrivedBy { return false }
                guard header.type == .metric,
                    (startAtMilliseconds.map { header.deviceTime.microseconds / 1000 >= $0 })
                        ?? true,
                    let event = try? StreamEventCodec.decode(payload),
                    case .metrics(let metrics) = event.kind,
                    let reading = HeartRateReading(metrics, at: event.deviceTime),
                    reading != readings.last
                else { return true }
                readings.append(reading)
                if readings.count > 2 * limit { readings.removeFirst(limit) }
                return true
            }
        } catch {
            logger.error("heart rates cannot be read: \(error)")
        }
        return Array(readings.suffix(limit))
    }
}
