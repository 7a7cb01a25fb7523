import Recordings
import SensorModel

/// Collects the frames of one request.
struct PushCollector: FrameCollector {
    let arrivalTime: Timestamp
    private(set) var frames: [Frame] = []
    private(set) var refused = RefusalCounts()

    init(_ request: PushRequest) {
        arrivalTime = request.arrivalTime
    }

    var believableTimes: ClosedRange<Timestamp> {
        let last = arrivalTime.advanced(byMicroseconds: Limits.deviceTimeAheadMicroseconds)
        return Timestamp.earliestDeviceTime...max(last, .earliestDeviceTime)
    }

    mutating func append(_ frame: Frame) {
        frames.append(frame)
    }

    mutating func refuse(_ reason: String) {
        refused.add(reason)
    }

    /// - Returns: The batch, its frames in order of time; equal times keep their order.
    consuming func batch(reply: PushReply, motion: MotionBatcher? = nil) -> PushBatch {
        let order = frames.indices.sorted {
            (frames[$0].deviceTime, $0) < (frames[$1].deviceTime, $1)
        }
        var sorted = order.map { frames[$0] }
        if let motion { sorted = motion.frames(among: sorted) }
        var batch = PushBatch(reply: reply)
        batch.frames = sorted
        batch.refused = refused
        return batch
    }
}
