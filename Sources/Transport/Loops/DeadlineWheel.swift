/// A connection with a deadline.
protocol DeadlineMember: AnyObject {
    /// - Parameter tick: Whole seconds of the wheel's clock.
    /// - Returns: Seconds until the next call; `nil`: no further call.
    func deadlineReached(_ tick: Int) -> Int?
}

/// A connection's entry in the wheel.
///
/// It may be in an earlier slot than ``dueTick`` requires, and is moved when that slot is reached.
/// So postponing a deadline costs one store.
final class Deadline {
    fileprivate weak var member: (any DeadlineMember)?
    fileprivate var dueTick: Int
    fileprivate var slotTick: Int
    /// Index in its slot; `nil` while it is in none.
    fileprivate var place: Int?
    private weak var wheel: DeadlineWheel?

    fileprivate init(member: any DeadlineMember, dueTick: Int, wheel: DeadlineWheel) {
        self.member = member
        self.dueTick = dueTick
        self.wheel = wheel
        slotTick = dueTick
    }

    /// Removes the deadline from the wheel, so that a fast sender of requests leaves no entries.
    func cancel() {
        member = nil
        wheel?.remove(self)
    }
}

/// Deadlines in whole seconds for all connections of a loop, driven by one timer.
///
/// Pure: ``advance(to:)`` supplies the time. A class, because members set deadlines while it calls
/// them.
final class DeadlineWheel {
    /// A power of two; later deadlines pass through the wheel more than once.
    private static let slotCount = 128

    private var slots = [[Deadline]](repeating: [], count: slotCount)
    private(set) var tick: Int
    /// Deadlines in the wheel.
    private(set) var count = 0

    init(tick: Int) {
        self.tick = tick
    }

    /// Sets a member's deadline, replacing its old one.
    ///
    /// - Parameters:
    ///   - deadline: The member's current deadline; replaced if its slot would come too late.
    ///   - member: Called when the time is up; held weakly.
    ///   - seconds: At least 1.
    func set(_ deadline: inout Deadline?, of member: any DeadlineMember, inSeconds seconds: Int) {
        let due = tick + max(1, seconds)
        if let deadline, deadline.member != nil, deadline.slotTick <= due {
            deadline.dueTick = due
            return
        }
        deadline?.cancel()
        let fresh = Deadline(member: member, dueTick: due, wheel: self)
        insert(fresh)
        deadline = fresh
    }

    /// Calls all members due by `now`, in whole seconds; `now` is never before the last call's.
    func advance(to now: Int) {
        while tick < now {
            tick += 1
            let index = tick & (Self.slotCount - 1)
            let slot = slots[index]
            slots[index] = []
            count -= slot.count
            for deadline in slot { deadline.place = nil }
            for deadline in slot { reach(deadline) }
        }
    }

    private func reach(_ deadline: Deadline) {
        guard let member = deadline.member else { return }
        if deadline.dueTick <= tick {
            guard let seconds = member.deadlineReached(tick) else {
                deadline.cancel()
                return
            }
            // The member may have set the deadline itself during the call.
            deadline.dueTick = max(deadline.dueTick, tick + max(1, seconds))
            guard deadline.member != nil else { return }
        }
        insert(deadline)
    }

    private func insert(_ deadline: Deadline) {
        // The slot is at most a full wheel ahead; the deadline is moved on from there.
        deadline.slotTick = min(deadline.dueTick, tick + Self.slotCount - 1)
        let index = deadline.slotTick & (Self.slotCount - 1)
        deadline.place = slots[index].count
        slots[index].append(deadline)
        count += 1
    }

    /// Removes a deadline; the last one of its slot takes its index.
    fileprivate func remove(_ deadline: Deadline) {
        guard let place = deadline.place else { return }
        let index = deadline.slotTick & (Self.slotCount - 1)
        let last = slots[index].removeLast()
        if last !== deadline {
            slots[index][place] = last
            last.place = place
        }
        deadline.place = nil
        count -= 1
    }
}
