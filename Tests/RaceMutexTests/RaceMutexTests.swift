import Glibc
import RaceMutex
import Synchronization
import Testing

/// Checks that ThreadSanitizer knows Swift's mutexes.
@Suite struct RaceMutexTests {
    /// State guarded by a mutex of another object, with numbers as in other tests.
    private final class Guarded: @unchecked Sendable {
        private let lock = Mutex(())
        private var count = 0

        var counted: Int { lock.withLock { _ in count } }

        func add() {
            lock.withLock { _ in
                count += 1
                // The other threads arrive while this one holds the lock.
                if count.isMultiple(of: 16) { usleep(50) }
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `A thread that waits for a mutex is no race`() async {
        let guarded = Guarded()
        let before = race_mutex_waits()
        var rounds = 0
        while race_mutex_waits() < before + 100 {
            await withTaskGroup { group in
                for _ in 0..<4 { group.addTask { for _ in 0..<1000 { guarded.add() } } }
            }
            rounds += 1
        }
        #expect(guarded.counted == rounds * 4000)
    }
}
