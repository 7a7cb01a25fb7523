import Recordings

extension Recording {
    /// Writes to standard error what the file's owner should know of it.
    func tellNotes() {
        for note in notes { Terminal.complain("note: \(note)") }
        if !refused.isEmpty { Terminal.complain("note: unusable: \(refused)") }
        if !dropped.isEmpty { Terminal.complain("note: dropped: \(dropped)") }
        guard !replaced.isEmpty else { return }
        Terminal.complain("note: an export has Pulsecast's own in place of: \(replaced)")
    }
}
