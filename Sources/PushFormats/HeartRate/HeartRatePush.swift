import Bytes
import Recordings
import SensorModel

/// Decodes the simplest form: a heart rate in a query, a form, JSON or alone; the answer is `OK`.
enum HeartRatePush {
    static func batch(_ request: PushRequest) throws(PushProblem) -> PushBatch {
        var collector = PushCollector(request)
        let (rate, time) = try reading(request)
        collector.addHeartRate(rate, at: time)
        guard collector.refused.isEmpty else {
            var batch = collector.batch(reply: .text(""))
            let reason = batch.refused.counts.keys.first ?? ""
            batch.reply = .refusal(status: 400, .notAFrame, "\(reason): 20 to 250 beats/min")
            return batch
        }
        return collector.batch(reply: .text("OK"))
    }

    private static func reading(
        _ request: PushRequest
    ) throws(PushProblem) -> (rate: Double, time: Timestamp) {
        let names = ["bpm", "rate", "hr", "heartRate", "heart_rate", "heartrate"]
        if !request.body.isEmpty, request.isJSON {
            let object = try request.jsonObject()
            let rate = names.lazy.compactMap { object[$0]?.lenientDouble }.first
            guard let rate else { throw PushProblem(reason: "no bpm") }
            let stamp = object["timestamp"] ?? object["end"] ?? object["measured_at"]
            return (rate, try time(stamp.map { Timestamp(pushed: $0) }, of: request))
        }
        let fields = FormFields(request)
        let fieldRate = names.lazy.compactMap { fields.number($0.lowercased()) }.first
        guard let rate = fieldRate ?? NumberText.double(request.body.span, request.body.indices)
        else { throw PushProblem(reason: "no bpm: send ?bpm=72, or rate=72 in a form") }
        let stamp = fields["timestamp", "time"]
        return (rate, try time(stamp.map { Timestamp(pushed: $0) }, of: request))
    }

    /// - Parameters:
    ///   - stamp: Time as sent; `nil` if none was sent; a `nil` inside if it could not be read.
    ///   - request: Request whose arrival time is used if none was sent.
    /// - Returns: The time of the heart rate.
    /// - Throws: ``PushProblem`` for a time that was sent and cannot be read.
    private static func time(
        _ stamp: Timestamp??, of request: PushRequest
    ) throws(PushProblem) -> Timestamp {
        guard let stamp else { return request.arrivalTime }
        guard let stamp else { throw PushProblem(reason: "unreadable time") }
        return stamp
    }
}
