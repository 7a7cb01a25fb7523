import Testing

/// The real executable as a process, tested from outside. Tests run one after another, because each
/// measures its own daemons and clients.
@Suite(.serialized) struct SystemTests {}
