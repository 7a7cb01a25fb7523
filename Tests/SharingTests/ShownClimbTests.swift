import SensorModel
import Testing

@testable import Sharing

/// Climb and descent as shown after a hidden part.
@Suite struct ShownClimbTests {
    /// The sums over visible altitudes in steps of a meter, given the session's own sums at each
    /// step.
    private static func sums(
        _ altitudes: [Double], recorded: (Int) -> (gain: Double, loss: Double),
        isWhole: Bool = false
    ) -> [(gain: Double, loss: Double)] {
        var climb = ShownClimb()
        var before = Metrics()
        before.elevationGainMeters = 100
        before.elevationLossMeters = 50
        climb.begin(SessionTotals(before), isWhole: isWhole)
        return altitudes.enumerated().map { index, altitude in
            var metrics = Metrics()
            let sums = recorded(index)
            metrics.elevationGainMeters = 100 + sums.gain
            metrics.elevationLossMeters = 50 + sums.loss
            metrics.position = PositionMetric(
                latitude: 48, longitude: 11, altitudeMeters: altitude,
                horizontalAccuracyMeters: 4, courseDegrees: 0, state: .live)
            var shown = metrics
            climb.update(&shown, of: metrics)
            return (shown.elevationGainMeters ?? -1, shown.elevationLossMeters ?? -1)
        }
    }

    private static let hill = (0...20).map { Double($0) } + (0...20).map { Double(20 - $0) }

    /// A swing from a hidden valley counts for the session once it exceeds the threshold in view.
    @Test(arguments: [0.0, 3, 9])
    func `Where a hidden valley lies tells nothing`(valleyMeters: Double) {
        let told = Self.sums(Self.hill) { index in
            let up = min(Double(index), 20) + valleyMeters
            return (up >= 10 ? up : 0, 0)
        }
        let plain = Self.sums(Self.hill) { _ in (0, 0) }
        #expect(told.map(\.gain) == plain.map(\.gain))
        #expect(told[9].gain == 0)
        #expect(told[10].gain == 10)
        #expect(told.last?.gain == 20)
    }

    @Test func `From the first turn in view on the session's own sums go on`() throws {
        let altitudes = Self.hill + Self.hill
        let told = Self.sums(altitudes) { index in
            // The barometer finds small hills on the second hill.
            (index > 50 ? Double(index - 50) * 0.5 : 0, 0)
        }
        // The descent counts up to the turn.
        #expect(told[31].loss == 10)
        #expect(told.last?.gain == 20 + Double(altitudes.count - 1 - 50) * 0.5)
    }

    @Test func `What the session had put off is not told at once`() throws {
        let told = Self.sums(Self.hill + Self.hill) { index in index > 60 ? (80, 80) : (0, 0) }
        #expect(try #require(told.last).gain < 60)
    }

    @Test func `Where nothing was hidden the session's sums are told`() {
        let told = Self.sums([0, 0, 0], recorded: { (Double($0) * 30, 0) }, isWhole: true)
        #expect(told.map(\.gain) == [0, 30, 60])
    }
}
