import Foundation

/// Progress of long work, drawn on stderr if it is a terminal, otherwise silent.
struct ProgressBar {
    private static let width = 30

    private let title: String
    private let isDrawn: Bool
    private var lastPercent = -1

    init(_ title: String, isDrawn: Bool = Terminal.isInteractive) {
        self.title = title
        self.isDrawn = isDrawn
    }

    /// - Parameters:
    ///   - done: Units done so far.
    ///   - total: Units in all; 0 draws nothing.
    mutating func update(done: Int, of total: Int) {
        guard isDrawn, total > 0 else { return }
        let percent = min(100, done * 100 / total)
        guard percent != lastPercent else { return }
        lastPercent = percent
        let filled = percent * Self.width / 100
        let bar =
            String(repeating: "█", count: filled)
            + String(repeating: "░", count: Self.width - filled)
        Terminal.write("\r\(title) \(bar) \(percent) %", to: .standardError)
    }

    /// Removes the bar from the screen.
    func finish() {
        guard isDrawn, lastPercent >= 0 else { return }
        Terminal.write("\r\u{1B}[2K", to: .standardError)
    }
}
