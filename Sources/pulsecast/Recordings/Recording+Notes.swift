import Recordings

extension Recording {
    /// Writes notes on the recording to standard error, for the owner of the file.
    func tellNotes() {
        for note in notes { Terminal.complain("note: \(note)") }
        if !refused.isEmpty { Terminal.complain("note: unusable: \(refused)") }
        if !dropped.isEmpty { Terminal.complain("note: dropped: \(dropped)") }
        guard !replaced.isEmpty else { return }
        Terminal.complain("note: an export has Pulsecast's own in place of: \(replaced)")
    }
}
