public struct Hello: Sendable {}
