import SensorModel
import Testing

@testable import Transport

@Suite struct PacedWaitersTests {
    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)

    private final class Waiter: RingSpaceWaiter {
        let number: Int

        init(_ number: Int) { self.number = number }

        func roomMayBeThere() -> RingSpaceUse { .wroteAll }
    }

    /// Waiters of each pace, numbered from 0 in the order of the paces.
    private static func waiting(_ paces: [HolePace], each count: Int) -> PacedWaiters {
        var waiters = PacedWaiters()
        for (index, pace) in paces.enumerated() {
            for number in 0..<count {
                waiters.append(
                    Waiter(index * count + number), HolePace.Need(pace: pace, ticks: 1))
            }
        }
        return waiters
    }

    private static func numbers(_ pass: [any RingSpaceWaiter]) -> [Int] {
        pass.compactMap { ($0 as? Waiter)?.number }
    }

    @Test func `Nobody goes on without room, and one of a device with it`() {
        let pace = HolePace()
        #expect(pace.hasRoom(for: 1, at: Self.start))
        pace.take(HolePace.ticksMax + 1, shared: 0)
        var waiters = Self.waiting([pace], each: 2000)
        #expect(Self.numbers(waiters.takePass(at: Self.start)) == [])
        let later = Self.start.advanced(bySeconds: 1)
        #expect(Self.numbers(waiters.takePass(at: later)) == [0])
        // It needs more, and waits behind the others.
        waiters.append(Waiter(0), HolePace.Need(pace: pace, ticks: 1))
        #expect(
            (0..<2000).flatMap { _ in Self.numbers(waiters.takePass(at: later)) }
                == Array(1..<2000) + [0])
        #expect(waiters.isEmpty)
    }

    @Test func `A pass asks few devices, the next pass the others`() {
        let paces = (0..<200).map { _ in HolePace() }
        var waiters = Self.waiting(paces, each: 2)
        let passes = (0..<7).map { _ in Self.numbers(waiters.takePass(at: Self.start)) }
        #expect(passes.map(\.count) == [64, 64, 64, 64, 64, 64, 16])
        // The first connection of each device before the second one of any.
        #expect(passes.flatMap(\.self).prefix(200).elementsEqual((0..<200).map { 2 * $0 }))
        #expect(waiters.isEmpty)
    }

    @Test func `One that is removed is not called, and leaves no line behind`() {
        let pace = HolePace()
        var waiters = PacedWaiters()
        let gone = Waiter(7)
        waiters.append(gone, HolePace.Need(pace: pace, ticks: 1))
        waiters.remove(gone, from: pace)
        #expect(Self.numbers(waiters.takePass(at: Self.start)) == [])
        #expect(waiters.isEmpty)
    }

    @Test func `What closed connections left is bounded for a device and for all`() {
        let shared = LeftBytes.Shared()
        let device = LeftBytes(among: shared)
        #expect(device.take(LeftBytes.ownMax))
        #expect(!device.take(1))
        device.release(LeftBytes.ownMax)
        let devices = (0..<100).map { _ in LeftBytes(among: shared) }
        let taken = devices.filter { $0.take(LeftBytes.ownMax) }
        #expect(taken.count == ByteAllowance.leftMax / LeftBytes.ownMax)
        #expect(!device.take(1))
        taken[0].release(LeftBytes.ownMax)
        #expect(device.take(1))
    }
}
