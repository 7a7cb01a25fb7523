import SensorModel

/// A picture of an analysis: estimates over time, with those of another one and the known truth.
///
///     panels, one above the other, one time axis: heart rate, cadence, steps, speed, distance
///
/// A panel without a value is left out. Missing values break a line; they are never drawn as 0.
public struct RecordingPlot: Sendable {
    /// Values measured another way, at one moment; `nil`: unknown at that time.
    public struct Truth: Sendable {
        /// Seconds since the recording's first record.
        public var t: Double
        public var distanceMeters: Double?
        /// Steps/min.
        public var cadence: Double?
        public var steps: Double?

        public init(
            t: Double, distanceMeters: Double? = nil, cadence: Double? = nil, steps: Double? = nil
        ) {
            self.t = t
            self.distanceMeters = distanceMeters
            self.cadence = cadence
            self.steps = steps
        }
    }

    private let title: String
    private let analysis: RecordingAnalysis
    private let truth: [Truth]
    private let other: [AnalysisReport.Row]
    private let otherOffsetSeconds: Double

    /// - Parameters:
    ///   - title: Title above the picture.
    ///   - analysis: A finished analysis.
    ///   - truth: Known values, in order of time; empty: none.
    ///   - other: Series of another analysis, drawn beside it; empty: none.
    ///   - otherOffsetSeconds: Time of its second 0 in this analysis.
    public init(
        title: String, analysis: RecordingAnalysis, truth: [Truth] = [],
        other: [AnalysisReport.Row] = [], otherOffsetSeconds: Double = 0
    ) {
        self.title = title
        self.analysis = analysis
        self.truth = truth
        self.other = other
        self.otherOffsetSeconds = otherOffsetSeconds
    }

    /// The picture, an SVG document.
    public var svg: String {
        let panels = [heartRate, cadence, steps, speed, distance].filter { !$0.isEmpty }
        let seconds = max(
            analysis.series.last?.t ?? 0, truth.last?.t ?? 0,
            (other.last?.t ?? 0) + otherOffsetSeconds, 1)
        var canvas = PlotCanvas(title: title, panels: panels.count, seconds: seconds)
        for (index, panel) in panels.enumerated() {
            canvas.draw(panel, at: index, pauses: analysis.pauses)
        }
        return canvas.document
    }

    private func line(
        _ name: String, _ style: PlotPanel.Style, _ value: (RecordingAnalysis.Row) -> Double?
    ) -> PlotPanel.Line {
        .init(name: name, style: style, points: analysis.series.map { ($0.t, value($0)) })
    }

    private func beside(_ quantity: AnalysisReport.Quantity) -> PlotPanel.Line {
        // What comes before this analysis begins has no place on its axis.
        .init(
            name: "other", style: .other,
            points: other.map { ($0.t + otherOffsetSeconds, $0.values[quantity]) }
                .filter { $0.0 >= 0 })
    }

    private func known(_ value: (Truth) -> Double?) -> PlotPanel.Line {
        // A missing value of the truth is left out, and does not break the line.
        .init(
            name: "truth", style: .truth,
            points: truth.compactMap { row in value(row).map { (row.t, $0) } })
    }

    private var heartRate: PlotPanel {
        PlotPanel(
            title: "heart rate, beats/min",
            lines: [
                line("heart rate", .estimate) { $0.metrics.heartRate?.beatsPerMinute },
                beside(.heartRate),
            ])
    }

    private var cadence: PlotPanel {
        PlotPanel(
            title: "cadence, steps/min; confidence 0 to 1 in the lowest fifth",
            lines: [
                line("cadence", .estimate) { $0.metrics.cadence?.stepsPerMinute },
                beside(.cadence), known(\.cadence),
            ],
            share: analysis.series.map { ($0.t, $0.metrics.cadence?.confidence) })
    }

    private var steps: PlotPanel {
        PlotPanel(
            title: "steps",
            lines: [
                line("steps", .estimate) { $0.metrics.steps.map(Double.init) },
                beside(.steps), known(\.steps),
            ])
    }

    private var speed: PlotPanel {
        PlotPanel(
            title: "speed, m/s",
            lines: [
                line("speed", .estimate) { $0.metrics.speedMetersPerSecond }, beside(.speed),
            ])
    }

    private var distance: PlotPanel {
        PlotPanel(
            title: "distance, m, and where the truth should be 95 times of 100",
            lines: [
                line("distance", .estimate) { $0.metrics.distanceMeters },
                beside(.distance), known(\.distanceMeters),
            ],
            band: analysis.series.compactMap { row in
                guard let meters = row.metrics.distanceMeters,
                    let around = row.metrics.distanceUncertaintyMeters
                else { return nil }
                return (row.t, meters - around, meters + around)
            })
    }
}
