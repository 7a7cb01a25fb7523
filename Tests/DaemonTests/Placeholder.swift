enum DaemonTestsPlaceholder {}
