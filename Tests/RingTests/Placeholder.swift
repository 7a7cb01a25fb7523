enum RingTestsPlaceholder {}
