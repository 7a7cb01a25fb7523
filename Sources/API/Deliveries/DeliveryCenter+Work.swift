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
    /// Seconds that a session may stay in memory after its end.
    private static let heldSeconds = 3600.0
    /// Seconds in which a run whose end was missed is still delivered.
    private static let missedSeconds = 7 * 86_400.0
    /// Newest sessions of a device that are looked at.
    private static let sessionsPerLook = 20
    /// Seconds before a try that the disk did not take is begun again.
    private static let diskSeconds = 60.0

    /// Begins to deliver.
    package func start(_ sender: DeliverySender) {
        let ticks = Task { [weak self] in
            while !Task.isCancelled {
                await self?.tick(sender)
                try? await Task.sleep(for: .seconds(Self.tickSeconds))
            }
        }
        let delivering = Task { [weak self, wakes] in
            await withDiscardingTaskGroup { group in
                for await _ in wakes {
                    guard let self else { return }
                    await self.addEnded(sender)
                    while let delivery = self.next() {
                        group.addTask {
                            await self.run(delivery, sender)
                            self.wake.yield()
                        }
                    }
                }
            }
        }
        work.withLock { $0 = [ticks, delivering] }
    }

    private func next() -> Delivery? {
        let now = clock()
        return state.withLock { $0.queue.next(at: now) }
    }

    private func tick(_ sender: DeliverySender) async {
        await storeOutcomes(sender)
        await load(sender)
        await addMissed(sender)
        wake.yield()
    }

    // MARK: What is delivered

    private func addEnded(_ sender: DeliverySender) async {
        let ended = state.withLock { state in
            defer { state.ended = [] }
            return state.ended
        }
        for (session, device) in ended {
            // What the disk does not take now, a tick finds once silence has ended it.
            _ = await sender.administration.changes.run { [self] in
                add(session, of: device, sender)
            }
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
                let delivery = try sender.pipeline.results.addDelivery(
                    of: session, to: target, of: device, at: now)
                if let delivery { state.withLock { $0.queue.insert(delivery) } }
            }
        } catch RegistryError.deliveriesFull {
            logger.warning(
                "a run is not delivered: \(Delivery.waitingMax) of its device wait already",
                metadata: ["session": "\(session)"])
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

    /// Finds runs that silence ended since the last look while they were not in memory, or whose
    /// end the disk did not take.
    private func addMissed(_ sender: DeliverySender) async {
        let now = clock()
        let silence = sender.pipeline.silenceSeconds
        let catalog = sender.administration.catalog
        let from =
            state.withLock { $0.lookedAt } ?? now.advanced(bySeconds: -Self.missedSeconds)
        var isWhole = true
        for device in accounts.withState({ Array($0.devicesWithTargets) }) {
            let page = catalog.page(of: .device(device), limit: Self.sessionsPerLook)
            for summary in page.sessions where !summary.session.isImported {
                let over = summary.arrivalTimes.upperBound.advanced(bySeconds: silence)
                guard over > from, over <= now, !catalog.isHeld(summary.session) else { continue }
                let isAdded = await sender.administration.changes.run { [self] in
                    add(summary.session, of: device, sender)
                }
                isWhole = isWhole && isAdded
            }
        }
        // A session that is still in memory is over some time later.
        if isWhole { state.withLock { $0.lookedAt = now.advanced(bySeconds: -Self.heldSeconds) } }
    }

    // MARK: A try

    private func run(_ waiting: Delivery, _ sender: DeliverySender) async {
        var delivery = waiting
        let now = clock()
        let begun = await sender.administration.changes.run {
            [accounts] () -> Result<DeliveryTarget?, RegistryError> in
            Result { () throws(RegistryError) in
                guard try accounts.registry.beginDelivery(waiting.id, at: now) else { return nil }
                return try accounts.targets(of: waiting.device).first { $0.id == waiting.target }
            }
        }
        switch begun {
        case .failure:
            delivery.dueAt = now.advanced(bySeconds: Self.diskSeconds)
            return state.withLock { [delivery] in $0.queue.ended(waiting, next: delivery) }
        case .success(nil):
            return state.withLock { $0.queue.ended(waiting, next: nil) }
        case .success(let target?):
            delivery.tries += 1
            let (outcome, frames) = await sender.attempt(delivery, to: target) { [self] in
                state.withLock { $0.queue.isWanted(waiting) }
            }
            note(outcome, frames, in: &delivery)
            if outcome != .gone {
                say(outcome, of: delivery, to: target)
                if await !store(delivery, sender) { keep(delivery) }
            }
            let isOver = outcome == .gone || delivery.state != .waiting
            state.withLock { [delivery] in
                $0.queue.ended(waiting, next: isOver ? nil : delivery)
            }
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

    private func say(
        _ outcome: DeliveryOutcome, of delivery: Delivery, to target: DeliveryTarget
    ) {
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
