import PrivacyAttacks
import Testing

/// The published attacks on privacy zones against the product's code, in a small town.
/// `tools/privacy` prints the same for a thousand homes and for more designs.
@Suite struct PrivacyAttackTests {
    private static func scores(_ designs: [Design], homes: Int) -> [String: Trial.Score] {
        let trial = Trial(seed: 1, habit: .direct, secondsApart: 5)
        let scores = trial.scores(homes: homes, runs: 8, designs: designs)
        return Dictionary(uniqueKeysWithValues: zip(designs.map(\.name), scores))
    }

    private static let product = scores(Design.product, homes: 24)
    private static let changing = scores(Design.changing, homes: 7)
    private static let leaking = scores(Design.leaking, homes: 8)

    /// Attacks by circles and by values beside the positions. Attacks by the shown streets are only
    /// in the table, because no offset prevents them.
    private static let attacks: [Attack] = [
        .circle, .consensus, .ring, .hull, .hole, .meters, .seconds, .climb, .records,
        .besideMeters, .besideSeconds, .moves,
    ]

    /// The rate of random guesses plus three standard deviations for these homes, in percent.
    private static func bound(_ score: Trial.Score) -> Double {
        let share = score.baselinePercent / 100
        let deviation = (share * (1 - share) / Double(score.homes)).squareRoot()
        return 100 * (share + 3 * deviation)
    }

    @Test(arguments: Design.product)
    func `No value and no circle tells more than a blind guess`(design: Design) throws {
        let score = try #require(Self.product[design.name])
        #expect(score.baselinePercent < 7)
        #expect(score.tried[.circle] ?? 0 > 20)
        for attack in Self.attacks {
            guard let found = score.percent(attack) else { continue }
            #expect(found <= Self.bound(score), "\(attack.rawValue)")
        }
        #expect(score.leaks == 0)
    }

    @Test(arguments: Design.changing)
    func `A zone that is changed tells no more than one that stays`(design: Design) throws {
        let score = try #require(Self.changing[design.name])
        #expect(score.percent(.moves) != nil)
        for attack in Self.attacks {
            guard let found = score.percent(attack) else { continue }
            #expect(found <= Self.bound(score), "\(attack.rawValue)")
        }
        #expect(score.leaks == 0)
    }

    /// Tests the attacks themselves: each deliberate leak is found by the attack made for it.
    @Test(
        arguments: zip(
            Design.leaking,
            [Attack.meters, .meters, .seconds, .seconds, .moves, .records, .besideMeters]))
    func `A mistake is found by its attack`(design: Design, attack: Attack) throws {
        let score = try #require(Self.leaking[design.name])
        #expect(try #require(score.percent(attack)) >= 60)
        #expect(try #require(score.percent(attack)) > 2 * Self.bound(score))
    }
}
