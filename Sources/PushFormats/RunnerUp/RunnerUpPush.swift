import Bytes
import Recordings
import SensorModel

/// Decodes RunnerUp Live: a position every few seconds, without a time, and the runner's actions.
enum RunnerUpPush {
    private enum Event: Int64 {
        case startOrResume = 0
        case gps = 1
        case pause = 2
        case end = 3
        case discard = 6
    }

    static func batch(_ request: PushRequest) throws(PushProblem) -> PushBatch {
        let object = try request.jsonObject()
        guard let number = object["runningEventType"]?.lenientDouble else {
            throw PushProblem(reason: "no runningEventType: is this RunnerUp Live?")
        }
        var collector = PushCollector(request)
        let time = request.arrivalTime
        if let latitude = object["lat"]?.lenientDouble,
            let longitude = object["long"]?.lenientDouble
        {
            collector.addLocation(
                PositionFix(
                    latitude: latitude, longitude: longitude,
                    altitude: object["altitude"]?.lenientDouble),
                at: time)
        }
        let event = Int64(exactly: number).flatMap { Event(rawValue: $0) }
        switch event {
        case .startOrResume: collector.add(.control(.resume), at: time)
        case .pause: collector.add(.control(.pause), at: time)
        case .end: collector.add(.control(.stop), at: time)
        case .gps, .discard: break
        case nil: collector.refuse("unknown runningEventType")
        }
        var batch = collector.batch(reply: .empty)
        batch.endsSession = event == .end || event == .discard
        batch.discardsSession = event == .discard
        return batch
    }
}
