import UnixSignals

/// The signals that the daemon handles. They are caught before systemd gets the ready message: an
/// early signal waits here instead of ending the process.
public struct DaemonSignals: Sendable {
    /// SIGTERM and SIGINT.
    let endings: UnixSignalsSequence
    let hangups: UnixSignalsSequence

    /// Catches the signals from now on.
    public init() async {
        endings = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        hangups = await UnixSignalsSequence(trapping: .sighup)
    }
}
