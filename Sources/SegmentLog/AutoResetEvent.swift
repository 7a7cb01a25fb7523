import Ring
import Synchronization

/// Wakes one waiting thread; a wake before the wait is remembered.
final class AutoResetEvent: Sendable {
    private let isWoken = Atomic(false)
    private let waiter = EventCount()

    /// Any thread.
    func wake() {
        isWoken.store(true, ordering: .releasing)
        waiter.ring()
    }

    /// - Parameter timeoutMicroseconds: Maximum wait; `nil`: until woken.
    func wait(timeoutMicroseconds: Int? = nil) {
        _ = waiter.sleep(timeoutMicroseconds: timeoutMicroseconds) {
            isWoken.load(ordering: .acquiring)
        }
        // An exchange: the waiter sees what was done before the wake that it takes.
        _ = isWoken.exchange(false, ordering: .acquiringAndReleasing)
    }
}
