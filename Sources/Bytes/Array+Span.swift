extension Array where Element == UInt8 {
    /// Copies the span in one call, fast also without optimization.
    package init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBytes { unsafe Array($0) }
    }
}
