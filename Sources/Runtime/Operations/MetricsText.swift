/// Builds a page in the Prometheus text format.
package struct MetricsText {
    package init() {}

    package private(set) var text = ""

    package mutating func counter(_ name: String, _ help: String, _ value: Int) {
        head(name, help, type: "counter")
        text += "\(name) \(value)\n"
    }

    /// A counter of seconds, with its fractions.
    package mutating func seconds(_ name: String, _ help: String, _ value: Double) {
        head(name, help, type: "counter")
        text += "\(name) \(value)\n"
    }

    package mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        head(name, help, type: "gauge")
        text +=
            value == value.rounded() && abs(value) < 1e15
            ? "\(name) \(Int(value))\n" : "\(name) \(value)\n"
    }

    /// - Parameters:
    ///   - name: Name of the metric.
    ///   - help: One sentence.
    ///   - type: `counter` or `gauge`.
    ///   - series: Labels without braces, as `reason="size"`, and values.
    package mutating func labelled(
        _ name: String, _ help: String, type: String, series: [(labels: String, value: Int)]
    ) {
        head(name, help, type: type)
        for (labels, value) in series { text += "\(name){\(labels)} \(value)\n" }
    }

    package mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        text += histogram.lines(name: name, help: help)
    }

    private mutating func head(_ name: String, _ help: String, type: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }
}
