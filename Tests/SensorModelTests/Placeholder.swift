enum SensorModelTestsPlaceholder {}
