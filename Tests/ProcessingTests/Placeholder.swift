enum ProcessingTestsPlaceholder {}
