import PushFormats
import SensorModel
import Testing

@Suite struct PushSettlementTests {
    private static let end = RecordOffset(rawValue: 70)
    /// Four turns of 32 records of 16 bytes, and two more.
    private static let turnsMax = 6

    private static func turn(
        isOurs: Bool = true, isDrained: Bool = false, hasRoom: Bool = true
    ) -> PushSettlement.Turn {
        PushSettlement.Turn(isOurs: isOurs, isDrained: isDrained, hasRoom: hasRoom, end: end)
    }

    @Test func `Frames are ingested once the rings are empty`() {
        var settlement = PushSettlement(ringBytes: 2048)
        #expect(settlement.asked(Self.turn()) == .askAgain)
        #expect(settlement.asked(Self.turn(isDrained: true)) == .ingested(end: Self.end))
    }

    @Test func `Rings that are never empty delay no longer than a full ring takes`() {
        var settlement = PushSettlement(ringBytes: 2048)
        for _ in 1..<Self.turnsMax { #expect(settlement.asked(Self.turn()) == .askAgain) }
        #expect(settlement.asked(Self.turn()) == .ingested(end: Self.end))
    }

    @Test func `A log without room answers at once, but for rings that were emptied before`() {
        var settlement = PushSettlement(ringBytes: 2048)
        #expect(settlement.asked(Self.turn(hasRoom: false)) == .notDurable)
        var emptied = PushSettlement(ringBytes: 2048)
        #expect(
            emptied.asked(Self.turn(isDrained: true, hasRoom: false)) == .ingested(end: Self.end))
    }

    @Test func `A connection whose session is gone is told so only when its frames were taken`() {
        var settlement = PushSettlement(ringBytes: 2048)
        #expect(settlement.asked(Self.turn(isOurs: false)) == .askAgain)
        #expect(settlement.asked(Self.turn(isOurs: false, isDrained: true)) == .gone)
    }

    @Test func `A daemon that stops has recorded nothing`() {
        var settlement = PushSettlement(ringBytes: 2048)
        #expect(settlement.asked(nil) == .notDurable)
    }
}
