enum InterchangeTestsPlaceholder {}
