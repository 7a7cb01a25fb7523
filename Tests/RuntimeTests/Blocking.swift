import Dispatch
import Synchronization

final class Counter: Sendable {
    let value = Atomic(0)
}

/// Blocks the thread, as a sync of the disk does.
func wait(for disk: DispatchSemaphore) { disk.wait() }
