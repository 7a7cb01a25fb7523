import Glibc
import Ring
import Synchronization
import Testing

@Suite struct DoorbellTests {
    @Test func `A sleeper with work to do does not sleep`() {
        #expect(EventCount().sleep(unless: { true }))
    }

    @Test func `A sleep that nobody ends runs out of time`() {
        #expect(!EventCount().sleep(timeoutMicroseconds: 1000, unless: { false }))
    }

    @Test func `A ring while the sleeper looks is not lost`() {
        let bell = EventCount()
        let woke = bell.sleep {
            bell.ring()
            return false
        }
        #expect(woke)
    }

    @Test func `A ring before the sleep is not remembered`() {
        let bell = EventCount()
        bell.ring()
        #expect(!bell.sleep(timeoutMicroseconds: 1000, unless: { false }))
    }

    @Test func `No element waits for a sleeper`() {
        let passage = Passage()
        var thread = pthread_t()
        let retained = unsafe Unmanaged.passRetained(passage).toOpaque()
        let started = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<Passage>.fromOpaque(context).takeRetainedValue().produce()
                return nil
            }, retained)
        #expect(started == 0)
        var next = 0
        while next < Passage.elements {
            while let element = passage.ring.pop() {
                #expect(element == next)
                next += 1
            }
            guard next < Passage.elements else { break }
            _ = passage.bell.sleep { !passage.ring.isEmpty }
        }
        #expect(pthread_join(thread, nil) == 0)
    }
}

/// Pushes in bursts, so that the consumer falls asleep in between.
private final class Passage: Sendable {
    static let elements = 20_000
    let ring = RingBuffer<Int>(capacity: 16)
    let bell = EventCount()

    func produce() {
        for element in 0..<Self.elements {
            while !ring.push(element) { sched_yield() }
            bell.ring()
            if element % 64 == 0 { usleep(50) }
        }
    }
}
