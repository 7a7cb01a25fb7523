import ArgumentParser

extension ArgumentHelp {
    /// Help of an option or argument.
    ///
    /// - Parameters:
    ///   - name: Name of the value in usage lines and man pages.
    ///   - text: One sentence.
    static func value(_ name: String, _ text: String) -> ArgumentHelp {
        ArgumentHelp(text, valueName: name)
    }
}
