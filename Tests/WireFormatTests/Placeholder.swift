enum WireFormatTestsPlaceholder {}
