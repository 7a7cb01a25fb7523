package import Runtime
import SegmentLog
import SensorModel
import Sessions
import Synchronization
package import Transport

/// The state of the daemon and its disk, for the daemon's owner.
package struct HealthRoutes: Sendable {
    private let health: Health
    private let pipeline: Pipeline
    private let state: StateFolder
    /// The configuration with all reloads.
    private let settings: @Sendable () -> Configuration

    package init(
        health: Health, pipeline: Pipeline, state: StateFolder,
        settings: @escaping @Sendable () -> Configuration
    ) {
        self.health = health
        self.pipeline = pipeline
        self.state = state
        self.settings = settings
    }

    package func add(to router: inout Router) {
        router.add(.get, "/health") { _ in JSONBody.response(row) }
    }

    private struct Row: Encodable {
        let version: String
        let uptimeSeconds: Int
        /// As in `/readyz`; empty: the daemon is ready.
        let troubles: [String]
        let devicesConnected: Int
        let viewersConnected: Int
        let sessionsLive: Int
        let sessionsRecorded: Int
        let sessionsRecordedMax: Int
        let logBytes: Int
        /// Age of the oldest record; `null`: the log is empty.
        let logOldestSeconds: NullableField<Double>
        /// `null`: the disk does not say.
        let diskFreeBytes: NullableField<Int>
        /// `null`: sessions are kept whatever their age.
        let retentionSeconds: NullableField<Double>
        /// `null`: the log may fill the disk.
        let retentionBytes: NullableField<Int>
    }

    private var row: Row {
        let (transport, usage) = (pipeline.loops.counters, pipeline.log.usage)
        let settings = settings()
        return Row(
            version: Version.text,
            uptimeSeconds: Int((ContinuousClock.now - health.began).components.seconds),
            troubles: health.troubles,
            devicesConnected: Int(transport.devicesConnected.load(ordering: .relaxed)),
            viewersConnected: Int(transport.viewersConnected.load(ordering: .relaxed)),
            sessionsLive: Int(pipeline.counters.flow.sessionsLive.load(ordering: .relaxed)),
            sessionsRecorded: pipeline.catalog.count,
            sessionsRecordedMax: settings.ingest.sessionsRecordedMax,
            logBytes: usage.bytes,
            logOldestSeconds: NullableField(
                usage.oldestArrival.map { max(0, WallClock.now().seconds(since: $0).rounded()) }),
            diskFreeBytes: NullableField(state.freeBytes),
            retentionSeconds: NullableField(settings.log.retentionSeconds),
            retentionBytes: NullableField(settings.log.retentionBytes))
    }
}
