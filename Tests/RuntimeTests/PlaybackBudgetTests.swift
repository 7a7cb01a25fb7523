import SensorModel
import Sharing
import Testing

@testable import Runtime

@Suite struct PlaybackBudgetTests {
    private static let quarter = PlaybackBudget.bytesMax / 4
    private static let half = PlaybackBudget.bytesMax / 2

    private static func viewer(_ number: Int) -> SubscriberID {
        SubscriberID(rawValue: UInt64(number))
    }

    @Test func `Viewers play until the room is used up, and again once one has left`() {
        var budget = PlaybackBudget()
        var taken = [(Self.half, 1), (Self.half, 2), (1, 3), (Self.half, 2)].map { bytes, number in
            budget.take(bytes, for: Self.viewer(number), of: ShareKey(rawValue: UInt32(number)))
        }
        budget.release(Self.viewer(1))
        taken.append(budget.take(1, for: Self.viewer(3), of: ShareKey(rawValue: 3)))
        #expect(taken == [true, true, false, true, true])
    }

    @Test func `Viewers of one link leave room for those of others`() {
        var budget = PlaybackBudget()
        let taken = (1...100).filter {
            budget.take(1 << 20, for: Self.viewer($0), of: ShareKey(rawValue: 1))
        }
        #expect(taken.count == Self.quarter >> 20)
        let large = budget.take(Self.half, for: Self.viewer(101), of: ShareKey(rawValue: 2))
        let second = budget.take(1, for: Self.viewer(102), of: ShareKey(rawValue: 2))
        let other = budget.take(Self.quarter, for: Self.viewer(103), of: ShareKey(rawValue: 3))
        #expect(large && !second && other)
    }

    @Test func `Viewers give way to an owner, as many as it takes`() {
        var budget = PlaybackBudget()
        let taken = (1...4).map {
            budget.take(Self.quarter, for: Self.viewer($0), of: ShareKey(rawValue: UInt32($0)))
        }
        #expect(taken == [true, true, true, true])
        let gone = budget.take(Self.half, for: ShareKey(rawValue: 1))
        #expect(gone?.count == 2)
        let isTaken = budget.take(1, for: Self.viewer(5), of: ShareKey(rawValue: 9))
        #expect(!isTaken)
    }

    @Test func `An owner is refused where owners take all there is`() {
        var budget = PlaybackBudget()
        var gone = [(Self.half, 1), (Self.half, 2), (1, 3), (Self.half, 2)].map { bytes, share in
            budget.take(bytes, for: ShareKey(rawValue: share))
        }
        budget.release(ShareKey(rawValue: 1))
        gone.append(budget.take(1, for: ShareKey(rawValue: 3)))
        #expect(gone == [[], [], nil, [], []])
    }
}
