import Interchange
import Registry
import SegmentLog
import SensorModel
import Transport

/// What an application is told of the frames it sent.
enum PushOutcome: Hashable, Sendable {
    /// It may forget them.
    case recorded
    /// The log cannot be written now.
    case notDurable
    /// The device sends more a second than it may: nothing was taken.
    case tooMany
}

/// The recordings that applications push now, by device and format.
actor PushDesk {
    private struct Key: Hashable {
        let device: DeviceID
        let format: PushFormat
        /// The application's name for the recording; `nil`: it names none.
        let hint: String?
    }

    private struct Open {
        let line: PushLine
        var lastUse: Timestamp
    }

    /// Recordings a device may have open at once; the one unused for longest makes room.
    private let linesPerDeviceMax: Int

    private let pipeline: Pipeline
    private let administration: Administration
    private let isDurable: Bool
    private let silenceSeconds: Double
    private let framesPerSecondMax: Int
    private let clock: @Sendable () -> Timestamp
    nonisolated let counters = PushCounters()
    private var lines: [Key: Open] = [:]
    /// Formats without names that were asked for since the start: only before that may the log
    /// know a session that goes on.
    private var asked: Set<Key> = []
    private var sweeper: Task<Void, Never>?

    init(
        pipeline: Pipeline, administration: Administration, configuration: Configuration,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.pipeline = pipeline
        self.administration = administration
        isDurable = configuration.log.durability == .always
        silenceSeconds = configuration.ingest.silenceSeconds
        framesPerSecondMax = configuration.ingest.framesPerSecondMax
        linesPerDeviceMax = configuration.ingest.sessionsPerDeviceMax
        self.clock = clock
    }

    /// Hands a request's frames to the pipeline.
    ///
    /// - Parameters:
    ///   - batch: From the format's mapper.
    ///   - device: Whose token it came with.
    ///   - format: Of the request.
    /// - Returns: Once the log has them, or why not.
    func take(
        _ batch: PushBatch, from device: DeviceID, as format: PushFormat
    ) async -> PushOutcome {
        counters.refused(batch.refused)
        let key = Key(device: device, format: format, hint: batch.sessionHint)
        guard !batch.frames.isEmpty || batch.endsSession && lines[key] != nil else {
            return .recorded
        }
        guard
            pipeline.loops.allowsPush(
                batch.frames.lazy.map(\.deviceTime), of: device, arrival: clock(),
                perSecondMax: framesPerSecondMax)
        else { return .tooMany }
        var line = line(key)
        var outcome = await line.send(batch.frames, at: clock())
        if outcome == .gone {
            forget(line, key)
            line = self.line(key)
            outcome = await line.send(batch.frames, at: clock())
        }
        if batch.endsSession {
            forget(line, key)
            await line.close()
        }
        if batch.discardsSession {
            // Nothing was recorded of it where this fails for want of a session.
            // And past the limit it stays.
            _ = try? await administration.deleteSession(line.session, for: device)
        }
        return outcome == .recorded ? .recorded : .notDurable
    }

    private func line(_ key: Key) -> PushLine {
        let now = clock()
        if let open = lines[key], now.seconds(since: open.lastUse) < silenceSeconds {
            lines[key]?.lastUse = now
            return open.line
        }
        if let silent = lines.removeValue(forKey: key) { close(silent.line) }
        makeRoom(for: key.device)
        let line = PushLine(
            session: session(key, at: now), device: key.device, pipeline: pipeline,
            isDurable: isDurable, counters: counters)
        lines[key] = Open(line: line, lastUse: now)
        startSweeping()
        return line
    }

    private func session(_ key: Key, at now: Timestamp) -> SessionID {
        if let hint = key.hint {
            return PushSession.identity(of: hint, device: key.device, format: key.format)
        }
        if asked.insert(key).inserted,
            let known = PushSession.nameless(
                key.format, of: key.device, in: pipeline.catalog,
                after: now.advanced(bySeconds: -silenceSeconds))
        {
            return known
        }
        var generator = SystemRandomNumberGenerator()
        return PushSession.nameless(key.format, using: &generator)
    }

    private func makeRoom(for device: DeviceID) {
        let own = lines.filter { $0.key.device == device }
        guard own.count >= linesPerDeviceMax,
            let oldest = own.min(by: { $0.value.lastUse < $1.value.lastUse })
        else { return }
        lines[oldest.key] = nil
        close(oldest.value.line)
    }

    private func forget(_ line: PushLine, _ key: Key) {
        // Another request may have opened a new one in the meantime.
        if lines[key]?.line === line { lines[key] = nil }
    }

    private func close(_ line: PushLine) {
        Task { await line.close() }
    }

    // MARK: Silence

    /// While anything is open, what has been silent for long enough is closed; then nothing runs.
    private func startSweeping() {
        guard sweeper == nil else { return }
        sweeper = Task { [weak self, silenceSeconds] in
            while await self?.sweep() ?? false {
                do { try await Task.sleep(for: .seconds(max(1, silenceSeconds / 2))) } catch {
                    return
                }
            }
        }
    }

    /// - Returns: Whether anything is still open.
    private func sweep() -> Bool {
        let now = clock()
        for (key, open) in lines where now.seconds(since: open.lastUse) >= silenceSeconds {
            lines[key] = nil
            close(open.line)
        }
        if lines.isEmpty { sweeper = nil }
        return !lines.isEmpty
    }
}
