/// Result of a push request, as the application gets it.
package enum PushOutcome: Hashable, Sendable {
    /// The application may forget the frames.
    case recorded
    /// The log cannot be written now.
    case notDurable
    /// The device sends more per second than allowed: nothing was recorded.
    case tooMany
    /// The points are years apart, or there are thousands of buttons. Nothing was recorded, and
    /// sending it again is useless.
    case tooSparse
}
