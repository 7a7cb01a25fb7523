import Bytes
import Recordings
import SensorModel

/// Decodes messages of HDS, Health Data Server of Apple Watch and Wear OS.
///
/// A message is one value, the text `heartRate:85`, alone or as `data` of a JSON object; or a JSON
/// object of values by name. Text frames of a WebSocket are also accepted, without answers. Only
/// the heart rate is used: totals of the watch (steps, distance, calories) have no time and no
/// start.
enum HealthDataServerPush {
    static func batch(_ request: PushRequest) throws(PushProblem) -> PushBatch {
        var collector = PushCollector(request)
        if let rate = try heartRate(request) {
            collector.addHeartRate(rate, at: request.arrivalTime)
        }
        return collector.batch(reply: .json("{}"))
    }

    /// - Returns: Beats per minute; `nil` for a message of another value.
    private static func heartRate(_ request: PushRequest) throws(PushProblem) -> Double? {
        guard request.body.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{") else {
            return try heartRate(in: String(decoding: request.body, as: UTF8.self))
        }
        let object = try request.jsonObject()
        if let text = object["data"]?.string { return try heartRate(in: text) }
        guard let value = object["heartRate"] else { return nil }
        guard let rate = value.lenientDouble else {
            throw PushProblem(reason: "heartRate is not a number")
        }
        return rate
    }

    private static func heartRate(in message: String) throws(PushProblem) -> Double? {
        let parts = message.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw PushProblem(reason: "no NAME:VALUE, as heartRate:72: is this HDS?")
        }
        guard parts[0] == "heartRate" else { return nil }
        let digits = Array(parts[1].utf8)
        guard let rate = NumberText.double(digits.span, digits.indices) else {
            throw PushProblem(reason: "heartRate is not a number")
        }
        return rate
    }
}
