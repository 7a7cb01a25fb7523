package import PushFormats
package import Runtime
package import SensorModel
import Transport

/// The open recordings of push applications, by device and format.
package actor PushService {
    struct Key: Hashable {
        let device: DeviceID
        let format: PushFormat
        /// The session derived from the application's name for it; `nil`: the application gives
        /// none.
        let named: SessionID?
    }

    struct Open {
        let queue: PushQueue
        var lastUse: Timestamp
    }

    /// Longest time for which the holes of a request may be paced: three thousand points an hour
    /// apart, or a thousand a day apart.
    private static let waitSecondsMax = 120.0

    /// Recordings that a device may have open at once; a new one evicts the least recently used.
    private let linesPerDeviceMax: Int

    private let pipeline: Pipeline
    let administration: Administration
    private let isDurable: Bool
    let silenceSeconds: Double
    private let framesPerSecondMax: Int
    let clock: @Sendable () -> Timestamp
    package nonisolated let counters = PushCounters()
    package nonisolated let imports = ImportTurns()
    var queues: [Key: Open] = [:]
    private var room: DeviceRoom
    /// Formats without names that have pushed since the start.
    ///
    /// Only the first request of such a format looks in the log for a session to continue.
    private var asked: Set<Key> = []
    var sweeper: Task<Void, Never>?

    package init(
        pipeline: Pipeline, administration: Administration, configuration: Configuration,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.pipeline = pipeline
        self.administration = administration
        isDurable = configuration.log.durability == .always
        silenceSeconds = configuration.ingest.silenceSeconds
        framesPerSecondMax = configuration.ingest.framesPerSecondMax
        linesPerDeviceMax = configuration.ingest.sessionsPerDeviceMax
        room = PushRoom.room(bodyBytesMax: configuration.bounds.bodyBytesMax)
        self.clock = clock
    }

    /// Sends a request's frames to the pipeline.
    ///
    /// - Parameters:
    ///   - batch: Result of the format's mapper.
    ///   - device: Device whose token the request carried.
    ///   - format: Format of the request.
    /// - Returns: The outcome, once the log has the frames or refuses them.
    package func take(
        _ batch: PushBatch, from device: DeviceID, as format: PushFormat
    ) async -> PushOutcome {
        counters.refused(batch.refused)
        let key = Key(
            device: device, format: format,
            named: batch.sessionHint.map {
                PushSession.identity(of: $0, device: device, format: format)
            })
        guard !batch.frames.isEmpty || batch.endsSession && isOpen(key) else { return .recorded }
        if let refusal = refusal(of: batch.frames, from: device) { return refusal }
        guard let hold = room.take(PushRoom.bytes(of: batch.frames), for: device) else {
            return .tooMany
        }
        defer { room.giveBack(hold) }
        var queue = queue(key)
        var outcome = await queue.send(batch.frames, at: clock())
        if outcome == .gone {
            forget(queue, key)
            queue = self.queue(key)
            outcome = await queue.send(batch.frames, at: clock())
        }
        // An end that is not recorded is sent again, so its session must still be known.
        if batch.endsSession, outcome == .recorded {
            forget(queue, key)
            await queue.close()
        }
        if batch.discardsSession {
            // This fails if nothing was recorded, so there is no session. It also fails past the
            // deletion limit; the session then stays.
            _ = try? await administration.deleteSession(queue.session, for: device)
        }
        return outcome == .recorded ? .recorded : .notDurable
    }

    /// Reason to refuse frames; `nil`: they are accepted.
    func refusal(of frames: [Frame], from device: DeviceID) -> PushOutcome? {
        guard
            pipeline.loops.allowsPush(
                frames.lazy.map(\.deviceTime), of: device, arrival: clock(),
                perSecondMax: framesPerSecondMax)
        else { return .tooMany }
        let wait = HolePace.seconds(of: frames)
        return wait <= Self.waitSecondsMax ? nil : .tooSparse
    }

    /// Whether there is a recording to end; after a restart only the log knows.
    private func isOpen(_ key: Key) -> Bool {
        if queues[key] != nil { return true }
        return key.named == nil && !asked.contains(key) && recorded(key, at: clock()) != nil
    }

    private func queue(_ key: Key) -> PushQueue {
        let now = clock()
        if let open = queues[key], now.seconds(since: open.lastUse) < silenceSeconds {
            queues[key]?.lastUse = now
            return open.queue
        }
        if let silent = queues.removeValue(forKey: key) { close(silent.queue) }
        makeRoom(for: key.device)
        let queue = newQueue(of: session(key, at: now), from: key.device)
        queues[key] = Open(queue: queue, lastUse: now)
        startSweeping()
        return queue
    }

    func newQueue(
        of session: SessionID, from device: DeviceID, isRecorded: Bool = false
    ) -> PushQueue {
        PushQueue(
            session: session, device: device, pipeline: pipeline, isDurable: isDurable,
            isRecorded: isRecorded, counters: counters)
    }

    private func session(_ key: Key, at now: Timestamp) -> SessionID {
        if let named = key.named { return named }
        if asked.insert(key).inserted, let known = recorded(key, at: now) { return known }
        var generator = SystemRandomNumberGenerator()
        return PushSession.nameless(key.format, using: &generator)
    }

    private func recorded(_ key: Key, at now: Timestamp) -> SessionID? {
        PushSession.nameless(
            key.format, of: key.device, in: pipeline.catalog,
            after: now.advanced(bySeconds: -silenceSeconds))
    }

    private func makeRoom(for device: DeviceID) {
        let own = queues.filter { $0.key.device == device }
        guard own.count >= linesPerDeviceMax,
            let oldest = own.min(by: { $0.value.lastUse < $1.value.lastUse })
        else { return }
        queues[oldest.key] = nil
        close(oldest.value.queue)
    }

    private func forget(_ queue: PushQueue, _ key: Key) {
        // Another request may have opened a new queue in the meantime.
        if queues[key]?.queue === queue { queues[key] = nil }
    }

    func close(_ queue: PushQueue) {
        Task { await queue.close() }
    }
}
