/// A connection that waits for space in the inbound ring, or for its next turn.
protocol RingSpaceWaiter: AnyObject {
    /// Tries to write again.
    func roomMayBeThere() -> RingSpaceUse
}

/// A waiter's use of the available space.
enum RingSpaceUse {
    case wroteAll
    /// The waiter wrote as much as one turn allows, and has more.
    case wroteTurn
    case foundNoSpace
    /// The waiter's next frame must wait for its device's pace.
    case needs(HolePace.Need)
}
