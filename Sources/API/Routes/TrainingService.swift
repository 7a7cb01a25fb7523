import Foundation
import Processing
import Registry
import Runtime
import SegmentLog
import SensorModel
import Sessions
import Transport

/// Fitness, fatigue and form of a device's wearer, over the sessions in the log.
///
/// A session's load is the one recorded with it. It uses the zones and the maximum of the session's
/// day, not those of the current profile.
struct TrainingService: Sendable {
    let sessions: SessionRoutes

    /// After ten times the 42 days of fitness a session has no effect.
    static let historyDays = 420
    static let shownDays = 1...400
    private static let shownDaysDefault = 28
    /// Limits the sessions that one request reads from the log.
    private static let sessionsMax = 2000
    /// Sessions computed in one request, as for a short page; ``ResultsUpkeep`` computes the
    /// others.
    private static let computedMax = 16

    func answer(_ request: HTTPRequest, for device: Device) async throws -> HTTPResponse {
        let days = try Self.days(request)
        let now = sessions.clock()
        let oldest = now.advanced(bySeconds: -Double(Self.historyDays) * 86_400)
        let recent = sessions.administration.catalog.page(
            of: .device(device.id), since: oldest, limit: Self.sessionsMax
        ).sessions.filter { $0.startTime <= now.advanced(bySeconds: 86_400) }
        // A run that was imported beside its recording counts once.
        let runs = RunOverlap.once(recent) { $0.deviceTimes ?? $0.arrivalTimes }
        let totals = try await sessions.totals(
            of: runs, for: .device(device.id), computingMost: Self.computedMax)
        let results = sessions.pipeline.results
        let exertions = try await sessions.pipeline.reader.pool.run(for: .device(device.id)) { _ in
            try results.exertions(of: device.id)
        }
        let loads = runs.compactMap { summary in
            totals.known[summary.session].map {
                TrainingReport.Session(
                    start: summary.startTime, totals: $0, exertion: exertions[summary.session])
            }
        }
        return JSONBody.response(
            TrainingReport(
                sessions: loads, pending: totals.missing.count, at: now,
                timeZone: device.profile.timeZone, days: days))
    }

    private static func days(_ request: HTTPRequest) throws(APIRefusal) -> Int {
        guard let text = request.query["days"] else { return shownDaysDefault }
        guard let days = Int(text), shownDays.contains(days) else {
            throw .badField(
                name: "days", allowed: "\(shownDays.lowerBound) to \(shownDays.upperBound)")
        }
        return days
    }
}
