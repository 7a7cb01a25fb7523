/// A discrete event in the form for one audience: a whole JSON object.
public struct EventForm: Hashable, Sendable {
    public let visibility: VisibilityMask
    public let json: [UInt8]
}
