import Recordings

extension Recording {
    /// Writes notes on the recording to standard error, for the owner of the file.
    ///
    /// - Parameter option: The option that lists what an export replaces; `nil`: list it now.
    func tellNotes(listedBy option: String? = nil) {
        for note in notes { Terminal.complain("note: \(note)") }
        if !refused.isEmpty { Terminal.complain("note: unusable: \(refused)") }
        if !dropped.isEmpty { Terminal.complain("note: dropped: \(dropped)") }
        guard !replaced.isEmpty else { return }
        guard let option else {
            return Terminal.complain(
                "note: an export has Pulsecast's own in place of: \(replaced)")
        }
        Terminal.complain(
            "note: an export has Pulsecast's own laps and totals in place of the file's;"
                + " \(option) lists them")
    }
}
