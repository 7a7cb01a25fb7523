enum RegistryTestsPlaceholder {}
