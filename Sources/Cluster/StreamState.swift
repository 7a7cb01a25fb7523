/// What a stream holds.
public struct StreamState: Hashable, Sendable {
    /// Differs between two streams of the same name, of which one was made anew: µs since 1970.
    public var identity: Int64
    /// Sequence of the oldest message; one above ``last`` if there is none.
    public var first: UInt64
    /// Sequence of the newest message, also if it was removed since; 0: there was none.
    public var last: UInt64

    public init(identity: Int64, first: UInt64, last: UInt64) {
        self.identity = identity
        self.first = first
        self.last = last
    }
}

public struct StreamMessage: Hashable, Sendable {
    public var sequence: UInt64
    public var bytes: [UInt8]

    public init(sequence: UInt64, bytes: [UInt8]) {
        self.sequence = sequence
        self.bytes = bytes
    }
}
