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
        #expect(taken == [[], [], nil, [], []])
    }

    @Test func `Viewers of one link leave room for those of others`() {
        var budget = PlaybackBudget()
        let taken = (1...100).filter {
            budget.take(1 << 20, for: Self.viewer($0), of: ShareKey(rawValue: 1)) != nil
        }
        #expect(taken.count == Self.quarter >> 20)
        let large = budget.take(Self.half, for: Self.viewer(101), of: ShareKey(rawValue: 2))
        let second = budget.take(1, for: Self.viewer(102), of: ShareKey(rawValue: 2))
        let other = budget.take(Self.quarter, for: Self.viewer(103), of: ShareKey(rawValue: 3))
        #expect(large == [] && second == nil && other == [])
    }

    @Test func `Links that took all there is make room for the next, down to equal parts`() {
        var budget = PlaybackBudget()
        var playing: [UInt32: Int] = [:]
        var links: [SubscriberID: UInt32] = [:]
        for link in UInt32(1)...20 {
            for number in 1...200 {
                let viewer = Self.viewer(1000 * Int(link) + number)
                guard let gone = budget.take(128 << 10, for: viewer, of: ShareKey(rawValue: link))
                else { break }
                links[viewer] = link
                playing[link, default: 0] += 1
                for viewer in gone { playing[links[viewer] ?? 0, default: 0] -= 1 }
            }
        }
        let all = PlaybackBudget.bytesMax / (128 << 10)
        #expect(playing.values.reduce(0, +) == all)
        #expect(playing.count == 20)
        #expect(playing.values.allSatisfy { (all / 20 - 1...all / 20 + 1).contains($0) })
    }

    @Test func `Viewers give way to an owner, as many as it takes`() {
        var budget = PlaybackBudget()
        let taken = (1...4).map {
            budget.take(Self.quarter, for: Self.viewer($0), of: ShareKey(rawValue: UInt32($0)))
        }
        #expect(taken == [[], [], [], []])
        let gone = budget.take(Self.half, for: ShareKey(rawValue: 1))
        #expect(gone?.count == 2)
        let fifth = budget.take(1, for: Self.viewer(5), of: ShareKey(rawValue: 9))
        #expect(fifth == nil)
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
