import Glibc

/// A thread of the operating system: the log waits for disks, which must not hold up tasks.
struct LogThread: Sendable {
    private let thread: pthread_t

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// `nil` when the system has no thread to give.
    init?(run: @escaping @Sendable () -> Void) {
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

    func join() { pthread_join(thread, nil) }

    /// Of the clock that never jumps; for how long something took.
    static func monotonicMicroseconds() -> Int {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return now.tv_sec * 1_000_000 + now.tv_nsec / 1000
    }
}
