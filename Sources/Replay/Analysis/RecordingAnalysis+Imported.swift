extension RecordingAnalysis {
    /// Values of the file that are not among the frames, by field or reason.
    public struct Imported: Sendable {
        /// Unusable items, by reason.
        public var refused: [String: Int]
        /// Values that no frame holds, by field.
        public var dropped: [String: Int]
        /// Values that an export to the same format replaces with the daemon's own, by field.
        public var replaced: [String: Int]

        public init(refused: [String: Int], dropped: [String: Int], replaced: [String: Int]) {
            self.refused = refused
            self.dropped = dropped
            self.replaced = replaced
        }
    }
}
