import Ring
import Synchronization

/// Wakes one waiting thread; a wake before the wait is remembered.
package final class AutoResetEvent: Sendable {
    private let isWoken = Atomic(false)
    private let waiter = EventCount()

    package init() {}

    /// Wakes the waiting thread. May be called from any thread.
    package func wake() {
        isWoken.store(true, ordering: .releasing)
        waiter.ring()
    }

    /// - Parameter timeoutMicroseconds: Maximum wait; `nil`: until woken.
    package func wait(timeoutMicroseconds: Int? = nil) {
        _ = waiter.sleep(timeoutMicroseconds: timeoutMicroseconds) {
            isWoken.load(ordering: .acquiring)
        }
        // The exchange pairs with the wake: the waiter sees everything done before it.
        _ = isWoken.exchange(false, ordering: .acquiringAndReleasing)
    }
}
