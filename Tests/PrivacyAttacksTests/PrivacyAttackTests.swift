import PrivacyAttacks
import Testing

/// The published attacks on privacy zones, over a small town's people, against the product's own
/// code. `tools/privacy` prints the same for a thousand homes and for more designs.
@Suite struct PrivacyAttackTests {
    private static func scores(_ designs: [Design], homes: Int) -> [String: Trial.Score] {
        let trial = Trial(seed: 1, habit: .direct, secondsApart: 5)
        let scores = trial.scores(homes: homes, runs: 8, designs: designs)
        return Dictionary(uniqueKeysWithValues: zip(designs.map(\.name), scores))
    }

    private static let product = scores(Design.product, homes: 24)
    private static let changing = scores(Design.changing, homes: 7)
    private static let leaking = scores(Design.leaking, homes: 8)

    /// Circles, and everything that is told beside the positions. What the shown streets tell is in
    /// the table: no offset hides that.
    private static let attacks: [Attack] = [
        .circle, .consensus, .ring, .hull, .hole, .meters, .seconds, .climb, .records,
        .besideMeters, .besideSeconds, .moves,
    ]

    /// The blind guess and three standard deviations of so many homes, in percent.
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

    /// The judges' own test: each mistake is found by the attack that is made for it.
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
