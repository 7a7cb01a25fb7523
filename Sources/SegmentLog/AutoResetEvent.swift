import Glibc

/// Wakes one waiting thread; a wake before the wait is remembered.
@safe
final class AutoResetEvent: Sendable {
    @unsafe
    private struct Bed {
        var mutex = unsafe pthread_mutex_t()
        var condition = pthread_cond_t()
        var isWoken = false
    }

    /// The condition's address as an integer: pointers are not `Sendable`.
    private let address: UInt

    init() {
        let bed = UnsafeMutablePointer<Bed>.allocate(capacity: 1)
        unsafe bed.initialize(to: Bed())
        unsafe pthread_mutex_init(&bed.pointee.mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(&bed.pointee.condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        address = UInt(bitPattern: bed)
    }

    deinit {
        unsafe pthread_cond_destroy(&bed.pointee.condition)
        unsafe pthread_mutex_destroy(&bed.pointee.mutex)
        unsafe bed.deallocate()
    }

    private var bed: UnsafeMutablePointer<Bed> {
        guard let bed = unsafe UnsafeMutablePointer<Bed>(bitPattern: address) else {
            preconditionFailure("an allocation at address 0")
        }
        return unsafe bed
    }

    func wake() {
        unsafe pthread_mutex_lock(&bed.pointee.mutex)
        let wasWoken = unsafe bed.pointee.isWoken
        unsafe bed.pointee.isWoken = true
        unsafe pthread_mutex_unlock(&bed.pointee.mutex)
        // Signalled without the lock: the woken thread would otherwise block on it at once.
        if !wasWoken { unsafe pthread_cond_signal(&bed.pointee.condition) }
    }

    /// - Parameter timeoutMicroseconds: Maximum wait; `nil`: until woken.
    func wait(timeoutMicroseconds: Int? = nil) {
        unsafe pthread_mutex_lock(&bed.pointee.mutex)
        var deadline = timespec()
        if let timeoutMicroseconds { deadline = Self.deadline(inMicroseconds: timeoutMicroseconds) }
        while unsafe !bed.pointee.isWoken {
            guard timeoutMicroseconds != nil else {
                unsafe pthread_cond_wait(&bed.pointee.condition, &bed.pointee.mutex)
                continue
            }
            let result = unsafe pthread_cond_timedwait(
                &bed.pointee.condition, &bed.pointee.mutex, &deadline)
            if result == ETIMEDOUT { break }
        }
        unsafe bed.pointee.isWoken = false
        unsafe pthread_mutex_unlock(&bed.pointee.mutex)
    }

    private static func deadline(inMicroseconds microseconds: Int) -> timespec {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let nanoseconds = now.tv_nsec + microseconds % 1_000_000 * 1000
        return timespec(
            tv_sec: now.tv_sec + microseconds / 1_000_000 + nanoseconds / 1_000_000_000,
            tv_nsec: nanoseconds % 1_000_000_000)
    }
}
