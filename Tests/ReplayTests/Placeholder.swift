enum ReplayTestsPlaceholder {}
