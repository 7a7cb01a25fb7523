enum TransportTestsPlaceholder {}
