import PushFormats
import SensorModel
import Testing

@Suite struct PushProgressTests {
    private static let end = RecordOffset(rawValue: 70)
    /// Four turns of 32 records of 16 bytes, and two more.
    private static let turnsMax = 6

    private static func turn(
        isOurs: Bool = true, isDrained: Bool = false, hasRoom: Bool = true
    ) -> PushProgress.Turn {
        PushProgress.Turn(isOurs: isOurs, isDrained: isDrained, hasRoom: hasRoom, end: end)
    }

    @Test func `Frames are ingested once the rings are empty`() {
        var progress = PushProgress(ringBytes: 2048)
        #expect(progress.asked(Self.turn()) == .askAgain)
        #expect(progress.asked(Self.turn(isDrained: true)) == .ingested(end: Self.end))
    }

    @Test func `Rings that are never empty delay no longer than a full ring takes`() {
        var progress = PushProgress(ringBytes: 2048)
        for _ in 1..<Self.turnsMax { #expect(progress.asked(Self.turn()) == .askAgain) }
        #expect(progress.asked(Self.turn()) == .ingested(end: Self.end))
    }

    @Test func `A log without room answers at once, but for rings that were emptied before`() {
        var progress = PushProgress(ringBytes: 2048)
        #expect(progress.asked(Self.turn(hasRoom: false)) == .notDurable)
        var emptied = PushProgress(ringBytes: 2048)
        #expect(
            emptied.asked(Self.turn(isDrained: true, hasRoom: false)) == .ingested(end: Self.end))
    }

    @Test func `A connection whose session is gone is told so only when its frames were taken`() {
        var progress = PushProgress(ringBytes: 2048)
        #expect(progress.asked(Self.turn(isOurs: false)) == .askAgain)
        #expect(progress.asked(Self.turn(isOurs: false, isDrained: true)) == .gone)
    }

    @Test func `A daemon that stops has recorded nothing`() {
        var progress = PushProgress(ringBytes: 2048)
        #expect(progress.asked(nil) == .notDurable)
    }
}
