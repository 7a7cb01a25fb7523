import Registry
import SegmentLog
import SensorModel

/// One session, as listings show it.
struct SessionRow: Encodable {
    let id: String
    /// For `before`: what began earlier comes next.
    let cursor: String
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
        _ summary: SessionSummary, epoch: UInt32, device: String?, totals: SessionResult.Totals?,
        isSilent: Bool
    ) {
        id = "\(summary.session)"
        cursor = "\(LogCursor(epoch: epoch, offset: summary.firstOffset))"
        self.device = device
        // Of the run, not of its upload, as snapshots have it.
        let times = summary.deviceTimes ?? summary.arrivalTimes
        startedAt = times.lowerBound.secondsSince1970
        let isOver = totals.map { $0.state == .ended } ?? isSilent
        endedAt = NullableField(isOver ? times.upperBound.secondsSince1970 : nil)
        state = totals?.state.name ?? (isOver ? "ended" : "live")
        frames = summary.frames
        records = summary.records
        lastDeviceTime = NullableField(summary.deviceTimes?.upperBound.secondsSince1970)
        distanceMeters = NullableField(totals?.distanceMeters)
        movingSeconds = NullableField(totals?.movingSeconds)
        elapsedSeconds = NullableField(totals?.elapsedSeconds)
        steps = NullableField(totals?.steps)
        averageHeartRate = NullableField(totals?.averageHeartRate)
        maxHeartRate = NullableField(totals?.maxHeartRate)
        elevationGainMeters = NullableField(totals?.elevationGainMeters)
    }
}
