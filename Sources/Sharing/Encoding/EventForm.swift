/// A discrete event as one audience reads it: a whole JSON object.
public struct EventForm: Hashable, Sendable {
    public let visibility: VisibilityMask
    public let json: [UInt8]
}
