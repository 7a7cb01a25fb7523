import Logging
import Registry
import Runtime
import SegmentLog
import SensorModel
import Synchronization

/// What the center does on its own.
extension DeliveryCenter {
    /// Runs shorter than this are not delivered by themselves.
    private static let secondsMin = 60.0
    /// Seconds in which a run whose end was missed is still delivered.
    private static let missedSeconds = 7 * 86_400.0
    /// Sessions of a device that are looked at, and at most.
    private static let sessionsPerPage = 50
    private static let sessionsPerLook = 1000
    /// Seconds after which a try was a slow one.
    private static let slowSeconds = 10.0
    /// Seconds before a session that the log lacks is looked for again: its owner may put it back.
    private static let absentSeconds = 3600.0
    /// Seconds before a try that the disk did not take is begun again.
    private static let diskSeconds = 60.0

    /// Begins to deliver.
    package func start(_ sender: DeliverySender) {
        let started = clock()
        if let folder = sender.folder { folder.work.start { folder.removePartials() } }
        work.start(
            tickSeconds: Self.tickSeconds,
            tick: { [weak self] in await self?.tick(sender, started: started) },
            woken: { [weak self] in
                guard let self else { return [] }
                await addEnded(sender)
                return takeDue().map { delivery in
                    {
                        await self.run(delivery, sender)
                        self.work.wake()
                    }
                }
            })
    }

    private func takeDue() -> [Delivery] {
        let now = clock()
        return state.withLock { state in
            var due: [Delivery] = []
            while let next = state.queue.next(at: now) { due.append(next) }
            return due
        }
    }

    private func tick(_ sender: DeliverySender, started: Timestamp) async {
        await storeOutcomes(sender)
        await load(sender)
        await addMissed(sender, started: started)
        work.wake()
    }

    // MARK: What is delivered

    private func addEnded(_ sender: DeliverySender) async {
        let ended = state.withLock { $0.ended }
        // An end is told before its last records can be read; a log that takes none is asked later.
        guard !ended.isEmpty, await sender.isWritten() else { return }
        for end in ended {
            let isAdded = await sender.administration.changes.run { [self] in
                add(end.session, of: end.device, sender)
            }
            guard isAdded else { return }
            state.withLock { state in state.ended.removeAll { $0 == end } }
        }
    }

    /// Adds the deliveries of a run that is over. Blocks on the disk.
    ///
    /// - Returns: `false`: the disk did not take one.
    private func add(_ session: SessionID, of device: DeviceID, _ sender: DeliverySender) -> Bool {
        guard let summary = sender.administration.catalog.summary(of: session),
            summary.device == device, Self.isLong(summary)
        else { return true }
        let now = clock()
        do {
            for target in try accounts.targets(of: device)
            where target.madeAt < summary.arrivalTimes.upperBound {
                do {
                    let delivery = try sender.pipeline.results.addDelivery(
                        of: session, to: target, of: device, at: now)
                    if let delivery { state.withLock { $0.queue.insert(delivery) } }
                } catch RegistryError.deliveriesFull {
                    logger.warning(
                        "a run is not delivered: \(Delivery.waitingMax) wait for its target",
                        metadata: ["session": "\(session)", "target": "\(target.name)"])
                }
            }
        } catch is AdministrationError {
            // It is being erased.
        } catch { return false }
        return true
    }

    private static func isLong(_ summary: SessionSummary) -> Bool {
        guard let times = summary.deviceTimes else { return false }
        return times.upperBound.seconds(since: times.lowerBound) >= secondsMin
    }

    /// Takes what waits in the registry, after a start and after others have made room.
    private func load(_ sender: DeliverySender) async {
        guard state.withLock({ $0.queue.isShort }) else { return }
        let kept = await sender.administration.changes.run { [accounts] in
            try? accounts.registry.waitingDeliveries(max: DeliveryQueue.countMax)
        }
        guard let kept else { return }
        state.withLock { state in
            // Of these the registry does not know yet what became of them.
            let unstored = Set(state.unstored.map(\.id))
            state.queue.load(kept.filter { !unstored.contains($0.id) })
        }
    }

    /// Finds runs that silence ended since the last look: none is told of when its session is not
    /// in memory. After a start a device has as long to come back as after its last frame.
    private func addMissed(_ sender: DeliverySender, started: Timestamp) async {
        let now = clock()
        let looked = state.withLock { $0.lookedAt }
        guard now >= started.advanced(bySeconds: sender.pipeline.silenceSeconds) else { return }
        // A clock may have been set back.
        let from = min(looked ?? now.advanced(bySeconds: -Self.missedSeconds), now)
        var isWhole = true
        for device in accounts.withState({ Array($0.devicesWithTargets) }) {
            for session in over(from: from, to: now, of: device, started: started, sender) {
                let isAdded = await sender.administration.changes.run { [self] in
                    add(session, of: device, sender)
                }
                isWhole = isWhole && isAdded
            }
        }
        if isWhole { state.withLock { $0.lookedAt = now } }
    }

    /// Sessions of a device that silence ended in a span of time.
    private func over(
        from: Timestamp, to now: Timestamp, of device: DeviceID, started: Timestamp,
        _ sender: DeliverySender
    ) -> [SessionID] {
        let silence = sender.pipeline.silenceSeconds
        let catalog = sender.administration.catalog
        var found: [SessionID] = []
        var before: RecordOffset?
        for _ in 0..<(Self.sessionsPerLook / Self.sessionsPerPage) {
            let page = catalog.page(
                of: .device(device), before: before, limit: Self.sessionsPerPage)
            var isRecent = false
            for summary in page.sessions {
                let last = summary.arrivalTimes.upperBound
                let over = max(last, started).advanced(bySeconds: silence)
                isRecent = isRecent || last.advanced(bySeconds: silence) > from
                guard over > from, over <= now, now.seconds(since: last) < Self.missedSeconds,
                    !summary.session.isImported
                else { continue }
                found.append(summary.session)
            }
            guard page.more, isRecent, let last = page.sessions.last else { break }
            before = last.firstOffset
        }
        return found
    }

    // MARK: A try

    private func run(_ waiting: Delivery, _ sender: DeliverySender) async {
        var delivery = waiting
        let now = clock()
        let summary = sender.administration.catalog.summary(of: waiting.session)
        guard summary?.device == waiting.device else {
            delivery.dueAt = now.advanced(bySeconds: Self.absentSeconds)
            return state.withLock { [delivery] in $0.queue.ended(waiting, next: delivery) }
        }
        let begun = await sender.administration.changes.run {
            [accounts] () -> Result<(isBegun: Bool, target: DeliveryTarget?), RegistryError> in
            Result { () throws(RegistryError) in
                let isBegun = try accounts.registry.beginDelivery(waiting.id, at: now)
                let targets = isBegun ? try accounts.targets(of: waiting.device) : []
                return (isBegun, targets.first { $0.id == waiting.target })
            }
        }
        switch begun {
        case .failure:
            delivery.dueAt = now.advanced(bySeconds: Self.diskSeconds)
            return state.withLock { [delivery] in $0.queue.ended(waiting, next: delivery) }
        case .success((isBegun: false, target: _)):
            return state.withLock { $0.queue.ended(waiting, next: nil) }
        case .success((isBegun: true, target: nil)):
            // Sealed under another master key: a target that was removed took its deliveries along.
            (delivery.state, delivery.reason) = (.failed, "its target cannot be read: set it again")
            if await !store(delivery, sender) { keep(delivery) }
            return state.withLock { $0.queue.ended(waiting, next: nil) }
        case .success((isBegun: true, target: let target?)):
            delivery.tries += 1
            await attempt(delivery, waiting, to: target, sender)
        }
    }

    private func attempt(
        _ begun: Delivery, _ waiting: Delivery, to target: DeliveryTarget, _ sender: DeliverySender
    ) async {
        var delivery = begun
        let began = ContinuousClock.now
        let (outcome, frames) = await sender.attempt(delivery, to: target) { [self] in
            state.withLock { $0.queue.isWanted(waiting) }
        }
        // A stop is no failure: the delivery waits for the next start. What arrived has arrived.
        guard !Task.isCancelled || outcome == .delivered else { return }
        // What a target says that was changed meanwhile is not of the new one.
        let isWanted = state.withLock { $0.queue.isWanted(waiting) }
        guard outcome == .delivered || isWanted && outcome != .gone else {
            return state.withLock { state in
                state.queue.ended(waiting, next: nil)
                state.queue.noteMissing()
            }
        }
        note(outcome, frames, in: &delivery)
        say(delivery, to: target)
        if await !store(delivery, sender) { keep(delivery) }
        let isSlow = ContinuousClock.now - began > .seconds(Self.slowSeconds)
        state.withLock { [delivery] in
            $0.queue.ended(
                waiting, next: delivery.state == .waiting ? delivery : nil, isSlow: isSlow)
        }
    }

    private func note(_ outcome: DeliveryOutcome, _ frames: Int?, in delivery: inout Delivery) {
        delivery.changedAt = clock()
        var generator = SystemRandomNumberGenerator()
        switch outcome {
        case .delivered:
            (delivery.state, delivery.frames, delivery.reason) = (.delivered, frames, nil)
        case .retry(let reason):
            delivery.reason = reason
            let wait = DeliveryOutcome.secondsBeforeRetry(
                tries: delivery.tries, using: &generator)
            if let wait {
                delivery.dueAt = delivery.changedAt.advanced(bySeconds: wait)
            } else {
                delivery.state = .failed
            }
        case .failed(let reason): (delivery.state, delivery.reason) = (.failed, reason)
        case .gone: break
        }
    }

    private func say(_ delivery: Delivery, to target: DeliveryTarget) {
        guard delivery.state == .failed, let reason = delivery.reason else { return }
        logger.error(
            "a run was not delivered: \(reason); `pulsecast delivery send` tries it again",
            metadata: ["session": "\(delivery.session)", "target": "\(target.name)"])
    }

    // MARK: Outcomes

    private func store(_ delivery: Delivery, _ sender: DeliverySender) async -> Bool {
        await sender.administration.changes.run { [accounts] in
            (try? accounts.registry.putOutcome(delivery)) != nil
        }
    }

    private func keep(_ delivery: Delivery) {
        state.withLock { state in
            state.unstored.removeAll { $0.id == delivery.id }
            if state.unstored.count < Self.keptMax { state.unstored.append(delivery) }
        }
    }

    private func storeOutcomes(_ sender: DeliverySender) async {
        let unstored = state.withLock { state in
            defer { state.unstored = [] }
            return state.unstored
        }
        for delivery in unstored where await !store(delivery, sender) { keep(delivery) }
    }
}
