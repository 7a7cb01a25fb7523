import NIOCore
import SensorModel

/// Connections that wait for room in their device's ``HolePace``, in a line for each device.
///
/// Devices take turns, and so do the connections of a device. A pass asks a few devices for room,
/// and lets one connection of each go on. So the cost of a pass does not grow with the connections
/// that wait, and a text that waits is read again only when there is room for it. Loop only.
struct PacedWaiters {
    private typealias Line = CircularBuffer<(waiter: any RingSpaceWaiter, need: HolePace.Need)>

    /// Number of devices that a pass asks; the next pass goes on with the others.
    static let devicesAPass = 64

    private var lines: [ObjectIdentifier: Line] = [:]
    /// The paces that have a line, the next one first.
    private var order = CircularBuffer<ObjectIdentifier>()

    var isEmpty: Bool { order.isEmpty }

    mutating func append(_ waiter: any RingSpaceWaiter, _ need: HolePace.Need) {
        let pace = ObjectIdentifier(need.pace)
        if lines[pace] == nil { order.append(pace) }
        lines[pace, default: Line()].append((waiter, need))
    }

    /// Removes a waiter that needs no room any more.
    mutating func remove(_ waiter: any RingSpaceWaiter, from pace: HolePace) {
        lines[ObjectIdentifier(pace)]?.removeAll { $0.waiter === waiter }
    }

    /// Removes the waiters that may go on now: the first one of each line that has room.
    ///
    /// - Parameter arrival: The daemon's clock.
    /// - Returns: At most one waiter of a device.
    mutating func takePass(at arrival: Timestamp) -> [any RingSpaceWaiter] {
        var pass: [any RingSpaceWaiter] = []
        for _ in 0..<min(order.count, Self.devicesAPass) {
            let pace = order.removeFirst()
            if let first = lines[pace]?.first, first.need.isMet(at: arrival) {
                pass.append(first.waiter)
                lines[pace]?.removeFirst()
            }
            if lines[pace]?.isEmpty ?? true {
                lines[pace] = nil
            } else {
                order.append(pace)
            }
        }
        return pass
    }
}
