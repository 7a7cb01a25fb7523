import Glibc
import Synchronization

/// Lets a consumer sleep until there is something to do, and costs a producer one exchange when
/// nobody sleeps.
///
///     consumer: say "asleep" → look again → sleep
///     producer: publish → say "awake" → wake the consumer if it had said "asleep"
///
/// Whichever exchange comes second sees the other's, so a wake-up cannot fall between the look and
/// the sleep. Any number of producers, one consumer.
public final class Doorbell: Sendable {
    private static let awake: UInt32 = 0
    private static let asleep: UInt32 = 1

    private let state = Atomic<UInt32>(Doorbell.awake)
    /// The lock and the condition of the sleep, by address: pointers are not `Sendable`.
    private let address: UInt

    @unsafe
    private struct Bed {
        var mutex = unsafe pthread_mutex_t()
        var condition = pthread_cond_t()
    }

    public init() {
        let bed = UnsafeMutablePointer<Bed>.allocate(capacity: 1)
        unsafe bed.initialize(to: Bed())
        unsafe pthread_mutex_init(&bed.pointee.mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // A timeout must not depend on what an administrator does to the wall clock.
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

    /// After publishing: wakes the consumer if it sleeps. Any thread.
    public func ring() {
        // Acquire and release: what was published before is seen by a consumer that exchanges later.
        guard state.exchange(Self.awake, ordering: .acquiringAndReleasing) == Self.asleep else {
            return
        }
        // When the lock is had, the consumer is either before its look at `state` or in its sleep.
        // The signal without the lock: the consumer would wake only to sleep for it.
        unsafe pthread_mutex_lock(&bed.pointee.mutex)
        unsafe pthread_mutex_unlock(&bed.pointee.mutex)
        unsafe pthread_cond_signal(&bed.pointee.condition)
    }

    /// Sleeps until ``ring()``, unless there is something to do already. Consumer only.
    ///
    /// - Parameters:
    ///   - timeoutMicroseconds: At most so long; `nil`: as long as it takes.
    ///   - ready: Whether there is something to do; called once, after producers can see the sleeper.
    /// - Returns: `false` when the time ran out.
    public func sleep(timeoutMicroseconds: Int? = nil, unless ready: () -> Bool) -> Bool {
        _ = state.exchange(Self.asleep, ordering: .acquiringAndReleasing)
        if ready() {
            // A store would end the release sequence of a ring that came just now: whoever exchanges
            // next would not be sure to see what that ring published.
            _ = state.exchange(Self.awake, ordering: .acquiringAndReleasing)
            return true
        }
        unsafe pthread_mutex_lock(&bed.pointee.mutex)
        defer { unsafe pthread_mutex_unlock(&bed.pointee.mutex) }
        guard let timeoutMicroseconds else {
            while state.load(ordering: .acquiring) == Self.asleep {
                unsafe pthread_cond_wait(&bed.pointee.condition, &bed.pointee.mutex)
            }
            return true
        }
        var deadline = Self.deadline(inMicroseconds: timeoutMicroseconds)
        while state.load(ordering: .acquiring) == Self.asleep {
            let result = unsafe pthread_cond_timedwait(
                &bed.pointee.condition, &bed.pointee.mutex, &deadline)
            guard result == ETIMEDOUT else { continue }
            // A ring that came just now counts: its work is there.
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
