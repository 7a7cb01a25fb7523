import Synchronization

/// A progress bar that several tasks may update.
final class ProgressLine: Sendable {
    private let bar: Mutex<ProgressBar>
    private let total: Int

    init(_ title: String, total: Int) {
        bar = Mutex(ProgressBar(title))
        self.total = total
    }

    func update(done: Int) { bar.withLock { $0.update(done: done, of: total) } }

    func finish() { bar.withLock { $0.finish() } }
}
