import Registry
import SensorModel

/// Deliveries that wait for their time or are under way, at most one of a device. A value: its
/// owner synchronizes it.
package struct DeliveryQueue: Sendable {
    /// Deliveries in memory; others wait in the registry.
    package static let countMax = 1000
    /// Deliveries under way at once: each may hold an export's memory.
    package static let runningMax = 2

    private var waiting: [Int64: Delivery] = [:]
    private var running: [DeviceID: Delivery] = [:]
    /// Deliveries under way whose session or target is gone.
    private var unwanted: Set<Int64> = []
    /// Number of the last delivery that was begun, of each device that waits or is under way.
    private var turns: [DeviceID: UInt64] = [:]
    private var lastTurn: UInt64 = 0
    /// Devices whose last try ended by the clock: their targets hold up others.
    private var slow: Set<DeviceID> = []

    /// Whether the registry may have deliveries that wait and are not here.
    private(set) var isShort = true

    /// Adds a delivery that is not known yet. When it is full, the device with most loses its last
    /// one: it waits in the registry.
    mutating func insert(_ delivery: Delivery) {
        guard running[delivery.device]?.id != delivery.id, waiting[delivery.id] == nil else {
            return
        }
        waiting[delivery.id] = delivery
        guard waiting.count > Self.countMax else { return }
        isShort = true
        let counts = waiting.values.reduce(into: [DeviceID: Int]()) {
            $0[$1.device, default: 0] += 1
        }
        let last = waiting.values.max { left, right in
            (counts[left.device] ?? 0, left.dueAt, left.id)
                < (counts[right.device] ?? 0, right.dueAt, right.id)
        }
        if let last { waiting[last.id] = nil }
    }

    /// Adds those of the registry, of which it gives ``countMax`` at most.
    mutating func load(_ deliveries: [Delivery]) {
        isShort = deliveries.count >= Self.countMax
        for delivery in deliveries { insert(delivery) }
    }

    /// A due delivery of a device with none under way: of the device whose turn was longest ago, so
    /// that one with many holds up others for one try only, and of one with a slow target when no
    /// other waits. ``ended(_:next:isSlow:)`` ends it. `nil`: none is due, or enough are under way.
    mutating func next(at now: Timestamp) -> Delivery? {
        guard running.count < Self.runningMax else { return nil }
        let due = waiting.values.filter { $0.dueAt <= now && running[$0.device] == nil }
        let first = due.min { left, right in
            (rank(left, at: now), turns[left.device] ?? 0, left.dueAt, left.id)
                < (rank(right, at: now), turns[right.device] ?? 0, right.dueAt, right.id)
        }
        guard let first else { return nil }
        waiting[first.id] = nil
        running[first.device] = first
        lastTurn += 1
        turns[first.device] = lastTurn
        return first
    }

    /// A slow target comes after others, but not for ever.
    private func rank(_ delivery: Delivery, at now: Timestamp) -> Int {
        let isLate = now.seconds(since: delivery.dueAt) >= Self.lateSeconds
        return slow.contains(delivery.device) && !isLate ? 1 : 0
    }

    private static let lateSeconds = 120.0

    /// - Parameters:
    ///   - delivery: A delivery under way.
    ///   - next: The delivery if it is to be tried again; `nil`: it is over.
    ///   - isSlow: Whether the try ended by the clock.
    mutating func ended(_ delivery: Delivery, next: Delivery?, isSlow: Bool = false) {
        running[delivery.device] = nil
        if isSlow { slow.insert(delivery.device) } else { slow.remove(delivery.device) }
        let isUnwanted = unwanted.remove(delivery.id) != nil
        if isUnwanted { isShort = true } else if let next { insert(next) }
        let devices = Set(waiting.values.map(\.device)).union(running.keys)
        turns = turns.filter { devices.contains($0.key) }
        slow.formIntersection(devices)
    }

    /// Notes that the registry has deliveries that wait and are not here.
    mutating func noteMissing() { isShort = true }

    /// Drops deliveries, and makes those under way stop.
    mutating func drop(where isGone: (Delivery) -> Bool) {
        waiting = waiting.filter { !isGone($0.value) }
        for delivery in running.values where isGone(delivery) { unwanted.insert(delivery.id) }
    }

    /// Whether no delivery is under way.
    var isIdle: Bool { running.isEmpty }

    /// Whether a delivery under way may go on.
    func isWanted(_ delivery: Delivery) -> Bool { !unwanted.contains(delivery.id) }
}
