import Bytes

/// A runner's own line for the length of a step: meters a step = slope × cadence + intercept.
///
/// The line is fitted by least squares through records of 100 m, each at a steady pace, as the
/// reference applications do: five records or more, of 20 steps and 10 s or more.
public struct StrideCalibration: Hashable, Sendable {
    /// A way of 100 m.
    public struct Record: Hashable, Sendable {
        public static let meters = 100.0

        /// Steps of both feet.
        public var steps: Int
        public var seconds: Double

        public init(steps: Int, seconds: Double) {
            self.steps = steps
            self.seconds = seconds
        }

        fileprivate var cadence: Double { Double(steps) * 60 / seconds }
        fileprivate var metersPerStep: Double { Self.meters / Double(steps) }
    }

    public static let recordsMin = 5
    public static let recordsMax = 100
    private static let steps = 20...1000
    private static let secondsMin = 10.0
    /// Beyond these no body's steps lie.
    private static let slopes = -0.1...0.1
    private static let intercepts = -5.0...5.0

    /// Meters a step for one step/min more.
    public var slope: Double
    /// Meters a step at a cadence of 0.
    public var intercept: Double

    public init(slope: Double, intercept: Double) {
        self.slope = slope
        self.intercept = intercept
    }

    /// Fits a line. `nil` for too few or too short records, for steps of no body, and if all have
    /// one cadence, which leaves the line's slope open.
    public init?(records: [Record]) {
        guard (Self.recordsMin...Self.recordsMax).contains(records.count),
            records.allSatisfy({
                Self.steps.contains($0.steps) && $0.seconds >= Self.secondsMin
                    && $0.seconds.isFinite
            })
        else { return nil }
        let count = Double(records.count)
        let cadence = records.reduce(0) { $0 + $1.cadence } / count
        let length = records.reduce(0) { $0 + $1.metersPerStep } / count
        var (spread, product) = (0.0, 0.0)
        for record in records {
            spread += (record.cadence - cadence) * (record.cadence - cadence)
            product += (record.cadence - cadence) * (record.metersPerStep - length)
        }
        // Half a step/min: less is the error of a stopwatch.
        guard spread / count >= 0.25 else { return nil }
        slope = product / spread
        intercept = length - slope * cadence
        guard isUsable else { return nil }
    }

    private var isUsable: Bool {
        Self.slopes.contains(slope) && Self.intercepts.contains(intercept)
    }

    /// Text of the line, which ``init(text:)`` reads.
    public var text: String { "\(slope)*cadence\(intercept < 0 ? "" : "+")\(intercept)" }

    /// Reads a calibration. `nil` for other text, and for records without a line.
    ///
    /// - Parameter text: Records of 100 m, `STEPS/SECONDS` with commas between, as
    ///   `125/48,130/45.5`; or a line, as `0.004*cadence+0.3`.
    public init?(text: String) {
        let text = text.filter { $0 != " " }
        if let line = Self.line(text) {
            self = line
            return
        }
        let records = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let numbers = part.split(separator: "/", omittingEmptySubsequences: false)
            return numbers.count == 2
                ? Int(numbers[0]).flatMap { steps in
                    NumberText.double(String(numbers[1])).map {
                        Record(steps: steps, seconds: $0)
                    }
                } : nil
        }
        guard !records.contains(nil) else { return nil }
        self.init(records: records.compactMap(\.self))
    }

    private static func line(_ text: String) -> StrideCalibration? {
        guard let times = text.firstRange(of: "*cadence"),
            let slope = NumberText.double(String(text[..<times.lowerBound])),
            case let rest = text[times.upperBound...].drop(while: { $0 == "+" }),
            let intercept = NumberText.double(String(rest))
        else { return nil }
        let line = StrideCalibration(slope: slope, intercept: intercept)
        return line.isUsable ? line : nil
    }
}
