package import Registry
package import SegmentLog
import SensorModel

/// One session in a listing.
package struct SessionRow: Encodable, Sendable {
    package let id: String
    /// Value for `before`: the next page holds sessions that began earlier.
    package let cursor: String
    package let device: String?
    /// The owner's words about it; `null`: none.
    package let name: NullableField<String>
    let notes: NullableField<String>
    /// Perceived exertion, 1…10; `null`: not told.
    package let exertion: NullableField<Int>
    package let startedAt: Double
    let endedAt: NullableField<Double>
    package let state: String
    /// Arrival of the newest data if the session is live and none came for a minute.
    let silentSince: NullableField<Double>
    package let frames: Int
    package let records: Int
    let lastDeviceTime: NullableField<Double>
    package let distanceMeters: NullableField<Double>
    package let movingSeconds: NullableField<Double>
    package let elapsedSeconds: NullableField<Double>
    package let steps: NullableField<Int>
    package let averageHeartRate: NullableField<Double>
    package let maxHeartRate: NullableField<Double>
    package let elevationGainMeters: NullableField<Double>

    /// A shorter silence is usual: phones send in batches.
    private static let silentSecondsMin = 60.0

    package init(
        _ summary: SessionSummary, epoch: UInt32, device: String?, totals: SessionResult.Totals?,
        note: SessionNote?, silence: Double, silenceMax: Double
    ) {
        id = "\(summary.session)"
        cursor = "\(LogCursor(epoch: epoch, offset: summary.firstOffset))"
        self.device = device
        name = NullableField(note?.name)
        notes = NullableField(note?.text)
        exertion = NullableField(note?.exertion)
        // Times of the run, not of its upload, as in snapshots.
        let times = summary.deviceTimes ?? summary.arrivalTimes
        startedAt = times.lowerBound.secondsSince1970
        let isOver = totals.map { $0.state == .ended } ?? (silence > silenceMax)
        silentSince = NullableField(
            !isOver && silence >= Self.silentSecondsMin
                ? summary.arrivalTimes.upperBound.secondsSince1970 : nil)
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
