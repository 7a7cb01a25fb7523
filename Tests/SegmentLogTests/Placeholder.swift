enum SegmentLogTestsPlaceholder {}
