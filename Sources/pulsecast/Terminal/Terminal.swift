import Foundation

/// Output of commands: facts to stdout, errors and progress to stderr.
enum Terminal {
    static func say(_ text: String) {
        write(text + "\n", to: .standardOutput)
    }

    static func say(json bytes: [UInt8]) {
        write(bytes + [UInt8(ascii: "\n")], to: .standardOutput)
    }

    /// Control characters are replaced: a server that nobody trusts may have put them into a reason.
    static func complain(_ text: String) {
        let clean = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let isControl = scalar.properties.generalCategory == .control
                    return isControl && scalar != "\n" && scalar != "\t" ? "\u{FFFD}" : scalar
                }))
        write(clean + "\n", to: .standardError)
    }

    /// Whether stderr is a terminal: only then is progress drawn.
    static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether stderr goes to systemd's journal.
    static var isJournal: Bool { ProcessInfo.processInfo.environment["JOURNAL_STREAM"] != nil }

    static func write(_ text: String, to file: FileHandle) {
        write(Array(text.utf8), to: file)
    }

    static func write(_ bytes: [UInt8], to file: FileHandle) {
        do {
            try file.write(contentsOf: Data(bytes))
        } catch {
            // The reader is gone (`… | head`), so no message can reach it.
            exit(0)
        }
    }
}
