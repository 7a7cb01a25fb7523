import Registry
import Ring
package import Runtime
import SegmentLog
import SensorModel
import Sessions
import Synchronization
package import Transport

/// Endpoints for operators: liveness, readiness and metrics.
package struct OperationsRoutes: Sendable {
    package let pipeline: Pipeline
    package let accounts: Accounts
    package let health: Health
    package let pushes: PushCounters
    /// Its result is `nil`: the daemon is in no cluster.
    private let cluster: @Sendable () -> ClusterReport?

    package init(
        pipeline: Pipeline, accounts: Accounts, health: Health, pushes: PushCounters,
        cluster: @escaping @Sendable () -> ClusterReport? = { nil }
    ) {
        self.cluster = cluster
        self.pipeline = pipeline
        self.accounts = accounts
        self.health = health
        self.pushes = pushes
    }

    package func add(to router: inout Router) {
        router.add(.get, "/healthz") { _ in .text("ok\n") }
        router.add(.get, "/readyz") { _ in readiness() }
        router.add(.get, "/metrics") { _ in
            .text(metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }

    private func readiness() -> HTTPResponse {
        let troubles = health.troubles
        guard !troubles.isEmpty else { return .text("ready\n") }
        return .text(troubles.joined(separator: "\n") + "\n", status: 503)
    }

    package func metrics() -> String {
        var text = MetricsText()
        let transport = pipeline.loops.counters
        let counters = pipeline.counters
        addFrames(to: &text, transport, counters)
        text.gauge(
            "pulsecast_devices_connected", "Devices connected now.",
            Double(transport.devicesConnected.load(ordering: .relaxed)))
        text.gauge(
            "pulsecast_viewers_connected", "Viewers connected now.",
            Double(transport.viewersConnected.load(ordering: .relaxed)))
        text.gauge(
            "pulsecast_sessions_live", "Sessions that have not ended.",
            Double(counters.flow.sessionsLive.load(ordering: .relaxed)))
        text.gauge(
            "pulsecast_sessions_recorded", "Sessions in the log, which memory has room for.",
            Double(pipeline.catalog.count))
        let fill = pipeline.loops.links.map(\.inbound.fillRatio).max() ?? 0
        text.gauge(
            "pulsecast_ring_fill_ratio", "The fullest ring between a loop and the pipeline, 0…1.",
            fill)
        text.counter(
            "pulsecast_ring_full_total", "Times a connection was not read for want of room.",
            transport.ringFull.load(ordering: .relaxed))
        addTurns(to: &text, counters)
        addLog(to: &text, counters)
        text.counter(
            "pulsecast_updates_merged_total", "Updates folded into later ones for slow viewers.",
            transport.updatesMerged.load(ordering: .relaxed))
        text.counter(
            "pulsecast_tls_takeovers_total", "Upgraded sockets whose TLS records we make.",
            transport.tlsTakeovers.load(ordering: .relaxed))
        text.histogram(
            "pulsecast_ingest_lag_seconds", "From a frame's arrival to the log.",
            counters.ingestLag)
        text.histogram(
            "pulsecast_delivery_lag_seconds",
            "From a frame's arrival to the write to viewers; the oldest of each batch.",
            counters.deliveryLag)
        return text.text + (cluster()?.metrics ?? "")
    }

    private func addTurns(to text: inout MetricsText, _ counters: PipelineCounters) {
        let turns = Int(counters.turns.load(ordering: .relaxed))
        let loopTurns = Int(counters.loopTurns.load(ordering: .relaxed))
        let logTurns = Int(counters.logTurns.load(ordering: .relaxed))
        text.labelled(
            "pulsecast_pipeline_turns_total", "Turns of the pipeline, by thread.", type: "counter",
            series: [
                ("thread=\"log\"", logTurns), ("thread=\"loop\"", loopTurns),
                ("thread=\"pipeline\"", turns - loopTurns - logTurns),
            ])
        text.seconds(
            "pulsecast_pipeline_seconds_total", "Time within turns of the pipeline, on any thread.",
            Double(counters.turnNanoseconds.load(ordering: .relaxed)) / 1e9)
    }

    private func addFrames(
        to text: inout MetricsText, _ transport: TransportCounters, _ counters: PipelineCounters
    ) {
        func series(_ transportName: String, _ format: String, _ value: Int) -> (String, Int) {
            ("transport=\"\(transportName)\",format=\"\(format)\"", value)
        }
        text.labelled(
            "pulsecast_frames_total", "Frames accepted at the listeners.", type: "counter",
            series: [
                series("tcp", "text", transport.framesTCPText.load(ordering: .relaxed)),
                series("tcp", "binary", transport.framesTCPBinary.load(ordering: .relaxed)),
                series("websocket", "text", transport.framesWebSocketText.load(ordering: .relaxed)),
                series(
                    "websocket", "binary",
                    transport.framesWebSocketBinary.load(ordering: .relaxed)),
                series("push", "json", transport.framesPushed.load(ordering: .relaxed)),
            ])
        let refused = transport.framesRefused.merging(pushes.refused, uniquingKeysWith: +)
        text.labelled(
            "pulsecast_frames_refused_total", "Frames refused at the listeners.", type: "counter",
            series: refused.sorted { $0.key < $1.key }.map { ("reason=\"\($0.key)\"", $0.value) })
        text.counter(
            "pulsecast_heart_rates_dropped_total",
            "Motion frames accepted without their heart rate, which was none.",
            transport.heartRatesDropped.load(ordering: .relaxed))
        addRefusals(to: &text, transport)
        text.counter(
            "pulsecast_frames_recorded_total", "Frames appended to the log.",
            counters.flow.framesRecorded.load(ordering: .relaxed))
        text.counter(
            "pulsecast_frames_duplicate_total", "Frames that came again and were dropped.",
            counters.flow.framesDuplicate.load(ordering: .relaxed))
        text.counter(
            "pulsecast_frames_late_total", "Frames that filled an earlier gap.",
            counters.flow.framesLate.load(ordering: .relaxed))
        text.counter(
            "pulsecast_gaps_total", "Holes in sequences that were given up.",
            counters.flow.gaps.load(ordering: .relaxed))
    }

    private func addRefusals(to text: inout MetricsText, _ transport: TransportCounters) {
        text.labelled(
            "pulsecast_hellos_refused_total", "Hellos refused, by close code.", type: "counter",
            series: transport.hellosRefused.sorted { $0.key < $1.key }
                .map { ("reason=\"\($0.key)\"", $0.value) })
        text.labelled(
            "pulsecast_viewers_closed_total", "Viewers the daemon closed, by close code.",
            type: "counter",
            series: transport.viewersClosed.sorted { $0.key < $1.key }
                .map { ("reason=\"\($0.key)\"", $0.value) })
    }

    private func addLog(to text: inout MetricsText, _ counters: PipelineCounters) {
        text.counter(
            "pulsecast_log_records_total", "Records appended to the log.",
            counters.flow.recordsAppended.load(ordering: .relaxed))
        text.histogram(
            "pulsecast_log_sync_seconds", "Duration of fdatasync.", counters.syncSeconds)
        let hasFailed = if case .failed = pipeline.log.state { true } else { false }
        text.gauge(
            "pulsecast_log_failed", "1 while the log cannot be written.", hasFailed ? 1 : 0)
        text.gauge(
            "pulsecast_registry_failed", "1 while devices and shares cannot be changed.",
            accounts.registry.trouble == nil ? 0 : 1)
        addUsage(to: &text, pipeline.log.usage)
    }

    /// Appends metrics of the log: what it stores, and failures of its upkeep.
    private func addUsage(to text: inout MetricsText, _ usage: LogUsage) {
        text.gauge("pulsecast_log_bytes", "Bytes of all segments.", Double(usage.bytes))
        let oldest = usage.oldestArrival.map { WallClock.now().seconds(since: $0) } ?? 0
        text.gauge(
            "pulsecast_log_oldest_seconds", "Age of the oldest record kept, 0 where none is.",
            max(0, oldest.rounded()))
        text.gauge(
            "pulsecast_log_unrepaired_segments",
            "Segments that a failed disk left open and that wait for repair.",
            Double(usage.unrepaired))
        text.counter(
            "pulsecast_retention_deleted_segments_total", "Segments deleted by retention.",
            usage.deletedSegments)
        text.counter(
            "pulsecast_retention_deleted_bytes_total", "Bytes deleted by retention.",
            usage.deletedBytes)
        text.gauge(
            "pulsecast_retention_overdue_segments",
            "Segments that retention was to delete and could not.", Double(usage.overdue))
        text.counter(
            "pulsecast_log_upkeep_failures_total",
            "Times retention or repair of segments met an error.", usage.failures)
        text.gauge(
            "pulsecast_retention_clock_ahead_seconds",
            "How far the clock is ahead of the time by which retention measures age.",
            usage.clockAheadSeconds)
    }
}
