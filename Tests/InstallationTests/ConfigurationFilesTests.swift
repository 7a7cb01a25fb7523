import API
import Foundation
import Runtime
import Testing

/// Checks that the files in config/ agree with the code.
@Suite struct ConfigurationFilesTests {
    @Test func `The example is what the program prints`() throws {
        let file = try InstalledFile.text("config/pulsecast.example.yaml")
        #expect(
            file == ConfigurationExample.text + "\n",
            "pulsecast check-config --example > config/pulsecast.example.yaml")
    }

    @Test(arguments: ["prometheus-alerts.yaml", "grafana-dashboard.json"])
    func `Every metric that is asked for is published`(name: String) throws {
        let asked = Self.metrics(in: try InstalledFile.text("config/\(name)"))
        #expect(!asked.isEmpty)
        let source = try InstalledFile.sources(below: "Sources/API")
        #expect(asked.filter { !source.contains("\"\($0)\"") }.sorted() == [])
    }

    @Test func `The dashboard shows every metric`() throws {
        let published = Self.metrics(
            in: try InstalledFile.text("Sources/API/Routes/OperationsRoutes.swift"))
        let shown = Self.metrics(in: try InstalledFile.text("config/grafana-dashboard.json"))
        #expect(published.subtracting(shown).sorted() == [])
    }

    @Test func `The dashboard is JSON with numbered panels`() throws {
        let data = Data(try InstalledFile.text("config/grafana-dashboard.json").utf8)
        let dashboard = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let panels = try #require(dashboard["panels"] as? [[String: Any]])
        let identifiers = panels.compactMap { $0["id"] as? Int }
        #expect(identifiers.count == panels.count && Set(identifiers).count == panels.count)
    }

    @Test func `Every alert says how urgent it is and what to do`() throws {
        let alerts = try InstalledFile.text("config/prometheus-alerts.yaml")
            .components(separatedBy: "- alert: ").dropFirst()
        for alert in alerts {
            let name = alert.prefix { $0 != "\n" }
            for part in ["expr:", "summary:", "description:"] {
                #expect(alert.contains(part), "\(name)")
            }
            #expect(
                alert.contains("severity: page") || alert.contains("severity: ticket"), "\(name)")
        }
        #expect(alerts.count >= 5)
    }

    /// Metric names as on the metrics page: the parts of a histogram count as one.
    private static func metrics(in text: String) -> Set<String> {
        Set(
            text.matches(of: /pulsecast_[a-z_]+/).map { match in
                for suffix in ["_bucket", "_sum", "_count"] where match.output.hasSuffix(suffix) {
                    return String(match.output.dropLast(suffix.count))
                }
                return String(match.output)
            })
    }
}
