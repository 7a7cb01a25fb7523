enum SegmentLogPlaceholder {}
