import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import Transport

@Suite struct ConversationTurnsTests {
    @Test func `Messages of tasks keep their order, and the loop has half of the time`() {
        let loop = EmbeddedEventLoop()
        let now = Mutex(NIODeadline.uptimeNanoseconds(0))
        let turns = ConversationTurns(loop) { now.withLock { $0 } }
        let sent = Mutex<[Int]>([])
        func add(_ number: Int) {
            turns.add {
                sent.withLock { $0.append(number) }
                now.withLock { $0 = $0 + .microseconds(250) }
            }
        }
        for number in 1...10 { add(number) }
        // Four of them use up one millisecond.
        loop.run()
        #expect(sent.withLock { $0 } == [1, 2, 3, 4])
        add(11)
        for end in [8, 11] {
            now.withLock { $0 = $0 + .microseconds(900) }
            loop.advanceTime(to: now.withLock { $0 })
            #expect(sent.withLock { $0.count } == (end == 8 ? 4 : 8))
            now.withLock { $0 = $0 + .microseconds(100) }
            loop.advanceTime(to: now.withLock { $0 })
            #expect(sent.withLock { $0 } == Array(1...end))
        }
        // Nothing waits: the next one is not delayed.
        add(12)
        loop.run()
        #expect(sent.withLock { $0.last } == 12)
    }
}
