import UnixSignals

/// The signals that the daemon answers, caught from before systemd hears that it is ready: one that
/// comes in between waits here instead of ending the process.
public struct DaemonSignals: Sendable {
    /// SIGTERM and SIGINT.
    let endings: UnixSignalsSequence
    let hangups: UnixSignalsSequence

    /// Catches them from now on.
    public init() async {
        endings = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        hangups = await UnixSignalsSequence(trapping: .sighup)
    }
}
