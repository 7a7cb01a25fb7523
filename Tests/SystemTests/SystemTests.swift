import Testing

/// The real executable as a process, judged from the outside. One after the other: each has
/// daemons and clients of its own, and measures them.
@Suite(.serialized) struct SystemTests {}
