/// What a connection does when its time is up.
protocol DeadlineMember: AnyObject {
    /// - Parameter tick: Whole seconds of the wheel's clock.
    /// - Returns: In how many seconds to be called next; `nil`: never again.
    func deadlineReached(_ tick: Int) -> Int?
}

/// A connection's one place in the wheel. It may lie in an earlier slot than ``dueTick`` says; it
/// then moves on when that slot comes, so that putting a deadline off costs one store.
final class Deadline {
    fileprivate weak var member: (any DeadlineMember)?
    fileprivate var dueTick: Int
    fileprivate var slotTick: Int

    fileprivate init(member: any DeadlineMember, dueTick: Int) {
        self.member = member
        self.dueTick = dueTick
        slotTick = dueTick
    }

    func cancel() {
        member = nil
    }
}

/// Deadlines by whole seconds, for all connections of a loop: one timer, whatever their number.
///
/// Pure: ``advance(to:)`` says what time it is. A class, because members set deadlines while it
/// calls them.
final class DeadlineWheel {
    /// A power of two; deadlines further ahead go around more than once.
    private static let slotCount = 128

    private var slots = [[Deadline]](repeating: [], count: slotCount)
    private(set) var tick: Int
    /// Deadlines inside, cancelled ones too.
    private(set) var count = 0

    init(tick: Int) {
        self.tick = tick
    }

    /// Sets a member's deadline anew.
    ///
    /// - Parameters:
    ///   - deadline: The one it has; replaced where its slot would come too late.
    ///   - member: Called once its time has come; not kept alive.
    ///   - seconds: At least 1.
    func set(_ deadline: inout Deadline?, of member: any DeadlineMember, inSeconds seconds: Int) {
        let due = tick + max(1, seconds)
        if let deadline, deadline.member != nil, deadline.slotTick <= due {
            deadline.dueTick = due
            return
        }
        deadline?.cancel()
        let fresh = Deadline(member: member, dueTick: due)
        insert(fresh)
        deadline = fresh
    }

    /// Calls whoever is due by `now`, in whole seconds, not before the last.
    func advance(to now: Int) {
        while tick < now {
            tick += 1
            let index = tick & (Self.slotCount - 1)
            let slot = slots[index]
            slots[index] = []
            count -= slot.count
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
            // The member may have set it itself meanwhile.
            deadline.dueTick = max(deadline.dueTick, tick + max(1, seconds))
            guard deadline.member != nil else { return }
        }
        insert(deadline)
    }

    private func insert(_ deadline: Deadline) {
        // As far ahead as the wheel reaches; from there it moves on.
        deadline.slotTick = min(deadline.dueTick, tick + Self.slotCount - 1)
        slots[deadline.slotTick & (Self.slotCount - 1)].append(deadline)
        count += 1
    }
}
