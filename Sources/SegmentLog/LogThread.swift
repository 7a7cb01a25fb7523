import Glibc

/// An operating-system thread, because waiting for disks must not block tasks.
package struct LogThread: Sendable {
    private let thread: pthread_t

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// `nil` if the system cannot create a thread.
    package init?(run: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let body = unsafe Unmanaged.passRetained(Body(run: run))
        let result = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard result == 0 else {
            unsafe body.release()
            return nil
        }
        self.thread = thread
    }

    package func join() { pthread_join(thread, nil) }

    /// Microseconds of the monotonic clock, for measuring durations.
    package static func monotonicMicroseconds() -> Int {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return now.tv_sec * 1_000_000 + now.tv_nsec / 1000
    }
}
