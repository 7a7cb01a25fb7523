import Bytes

/// What `analyze --json` says of a recording (contract, section 8), by this version or another.
public struct AnalysisReport: Sendable {
    /// A value that the series has each second.
    public enum Quantity: String, CaseIterable, Sendable {
        case heartRate = "bpm"
        case cadence, steps, speed
        case distance = "distanceMeters"
    }

    /// One second of the series.
    public struct Row: Sendable {
        /// Seconds since the recording's first record.
        public var t: Double
        /// Without the quantities that have no value at that time.
        public var values: [Quantity: Double]
    }

    public struct Pause: Hashable, Sendable {
        /// Seconds since the recording's first record.
        public var start: Double
        /// End; `nil` if the recording ended during the pause.
        public var end: Double?
    }

    /// A figure of the summary; `nil`: it has no value.
    public struct Figure: Hashable, Sendable {
        public var name: String
        public var value: Double?
    }

    /// Longest time from the first record, seconds: of a recording of thirty years.
    public static let secondsMax = 1e9

    /// The summary's numbers, in the order of the object; its lists are left out.
    public let figures: [Figure]
    public let pauses: [Pause]
    /// Seconds of each kilometer, the first one first.
    public let splitSeconds: [Double]
    public let series: [Row]

    /// Reads a report; `nil` if the text is none.
    ///
    /// - Parameter json: Output of `analyze --json`.
    public init?(json: [UInt8]) {
        guard let object = try? JSONValue(parsing: json),
            let summary = object["summary"]?.members, let rows = object["series"]?.array
        else { return nil }
        figures = summary.filter { $0.value.array == nil }
            .map { Figure(name: $0.name, value: $0.value.double) }
        pauses = (object["pauses"]?.array ?? []).compactMap { pause in
            pause["start"]?.double.map { Pause(start: $0, end: pause["end"]?.double) }
        }
        splitSeconds = (object["splits"]?.array ?? []).compactMap { $0["seconds"]?.double }
        series = rows.compactMap { row in
            guard let t = row["t"]?.double, t.magnitude <= Self.secondsMax else { return nil }
            let values = Quantity.allCases.compactMap { quantity in
                row[quantity.rawValue]?.double.map { (quantity, $0) }
            }
            return Row(t: t, values: Dictionary(uniqueKeysWithValues: values))
        }
    }

    /// The report of an analysis of this version, as its JSON says it.
    public init(_ analysis: RecordingAnalysis) {
        guard let report = AnalysisReport(json: Array(analysis.jsonText.utf8)) else {
            preconditionFailure("an analysis writes what a report reads")
        }
        self = report
    }
}
