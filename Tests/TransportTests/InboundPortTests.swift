import NIOCore
import NIOEmbedded
import Ring
import Testing

@testable import Transport

@Suite struct InboundPortTests {
    private final class Waiter: RingSpaceWaiter {
        private var turns: Int
        private let called: () -> Void

        init(turns: Int, _ called: @escaping () -> Void) {
            (self.turns, self.called) = (turns, called)
        }

        func roomMayBeThere() -> RingSpaceUse {
            called()
            turns -= 1
            return turns > 0 ? .wroteTurn : .wroteAll
        }
    }

    @Test func `Of those with much to write, one has its turn in a pass`() {
        let loop = EmbeddedEventLoop()
        let port = InboundPort(
            ring: ByteRing(capacity: 1 << 12), published: { 0 }, eventLoop: loop,
            counters: TransportCounters(), arrivalClock: { FakeDaemon.clock })
        var pass: [String] = []
        func waiter(_ name: String, turns: Int) -> Waiter {
            Waiter(turns: turns) { pass.append(name) }
        }
        for name in ["a", "b", "c"] { port.begin(waiter(name, turns: 3)) }
        port.wait(waiter("small", turns: 1), for: nil)
        var passes: [[String]] = [pass]
        for _ in 1...5 {
            pass = []
            loop.advanceTime(by: .milliseconds(1))
            passes.append(pass)
        }
        #expect(
            passes == [["a", "b", "c"], ["a"], ["b"], ["c"], ["small", "a", "b", "c"], []])
    }
}
