import Glibc
import Synchronization

/// Lets a consumer sleep until there is work; while the consumer is awake, a call of ``ring()``
/// costs a producer one atomic exchange.
///
///     consumer: set "asleep" → check for work again → sleep
///     producer: publish → set "awake" → wake the consumer if it had set "asleep"
///
/// The later exchange always sees the earlier one, so no wake-up is lost between the check and the
/// sleep. Any number of producers, one consumer.
public final class EventCount: Sendable {
    private static let awake: UInt32 = 0
    private static let asleep: UInt32 = 1

    private let state = Atomic<UInt32>(EventCount.awake)
    /// Address of the ``Condition``: pointers are not `Sendable`.
    private let address: UInt

    @unsafe
    private struct Condition {
        var mutex = unsafe pthread_mutex_t()
        var variable = pthread_cond_t()
    }

    public init() {
        let condition = UnsafeMutablePointer<Condition>.allocate(capacity: 1)
        unsafe condition.initialize(to: Condition())
        unsafe pthread_mutex_init(&condition.pointee.mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // Changes of the wall clock must not affect a timeout.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(&condition.pointee.variable, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        address = UInt(bitPattern: condition)
    }

    deinit {
        unsafe pthread_cond_destroy(&condition.pointee.variable)
        unsafe pthread_mutex_destroy(&condition.pointee.mutex)
        unsafe condition.deallocate()
    }

    private var condition: UnsafeMutablePointer<Condition> {
        guard let condition = unsafe UnsafeMutablePointer<Condition>(bitPattern: address) else {
            preconditionFailure("an allocation at address 0")
        }
        return unsafe condition
    }

    /// Wakes the consumer if it sleeps; call it after publishing. Any thread.
    public func ring() {
        // Acquire and release: a consumer that exchanges later sees the data published before.
        guard state.exchange(Self.awake, ordering: .acquiringAndReleasing) == Self.asleep else {
            return
        }
        // With the lock held, the consumer is either before its check of `state` or asleep. The
        // signal comes after the unlock: else the consumer would wake only to wait for the lock.
        unsafe pthread_mutex_lock(&condition.pointee.mutex)
        unsafe pthread_mutex_unlock(&condition.pointee.mutex)
        unsafe pthread_cond_signal(&condition.pointee.variable)
    }

    /// Sleeps until ``ring()``, unless there is work already. Consumer only.
    ///
    /// - Parameters:
    ///   - timeoutMicroseconds: Longest sleep; `nil`: no limit.
    ///   - ready: Whether there is work; called once, after producers can see the sleeper.
    /// - Returns: `false` after a timeout.
    public func sleep(timeoutMicroseconds: Int? = nil, unless ready: () -> Bool) -> Bool {
        _ = state.exchange(Self.asleep, ordering: .acquiringAndReleasing)
        if ready() {
            // A store would end the release sequence of a concurrent ring. A later exchange would
            // then not be sure to see the data published before that ring.
            _ = state.exchange(Self.awake, ordering: .acquiringAndReleasing)
            return true
        }
        unsafe pthread_mutex_lock(&condition.pointee.mutex)
        defer { unsafe pthread_mutex_unlock(&condition.pointee.mutex) }
        guard let timeoutMicroseconds else {
            while state.load(ordering: .acquiring) == Self.asleep {
                unsafe pthread_cond_wait(&condition.pointee.variable, &condition.pointee.mutex)
            }
            return true
        }
        var deadline = Self.deadline(inMicroseconds: timeoutMicroseconds)
        while state.load(ordering: .acquiring) == Self.asleep {
            let result = unsafe pthread_cond_timedwait(
                &condition.pointee.variable, &condition.pointee.mutex, &deadline)
            guard result == ETIMEDOUT else { continue }
            // A concurrent ring counts: its work is already there.
            return state.exchange(Self.awake, ordering: .acquiringAndReleasing) == Self.awake
        }
        return true
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
