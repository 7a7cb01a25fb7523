import Bytes
import Recordings
import SensorModel

/// Decodes hr_push: a heart rate of a named strap, or whether the strap is connected. Text frames
/// of a WebSocket are also accepted, without answers.
enum StrapRelayPush {
    static func batch(_ request: PushRequest) throws(PushProblem) -> PushBatch {
        let object = try request.jsonObject()
        var collector = PushCollector(request)
        var time = request.arrivalTime
        if let stamp = object["timestamp"], stamp != .null {
            guard let parsed = Timestamp(pushed: stamp) else {
                throw PushProblem(reason: "unreadable timestamp")
            }
            time = parsed
        }
        switch object["event"]?.string {
        case "heartRate":
            guard let rate = object["heartRate"]?.lenientDouble else {
                throw PushProblem(reason: "no heartRate")
            }
            if let device = object["device"]?.string { collector.addSource(device, at: time) }
            collector.addHeartRate(rate, at: time)
        case "connection":
            // A strap that sends nothing becomes stale without an event.
            break
        default:
            throw PushProblem(reason: "no event heartRate or connection: is this hr_push?")
        }
        return collector.batch(reply: .json("{}"))
    }
}
