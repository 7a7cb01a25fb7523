import Ring
import Synchronization

/// Wakes one waiting thread; a wake before the wait is remembered.
final class AutoResetEvent: Sendable {
    private let isWoken = Atomic(false)
    private let waiter = EventCount()

    /// Wakes the waiting thread. May be called from any thread.
    func wake() {
        isWoken.store(true, ordering: .releasing)
        waiter.ring()
    }

    /// - Parameter timeoutMicroseconds: Maximum wait; `nil`: until woken.
    func wait(timeoutMicroseconds: Int? = nil) {
        _ = waiter.sleep(timeoutMicroseconds: timeoutMicroseconds) {
            isWoken.load(ordering: .acquiring)
        }
        // The exchange pairs with the wake: the waiter sees everything done before it.
        _ = isWoken.exchange(false, ordering: .acquiringAndReleasing)
    }
}
