/// A session as one file that needs no network: the live page's charts and route, and the numbers
/// beside them.
public enum ReportPage {
    /// The files that are only used in reports.
    static let fileNames: Set<String> = ["report.html", "report.css", "report.js"]

    /// - Parameters:
    ///   - title: Title of the report; any text.
    ///   - snapshot: The session's last state, a JSON object as in the answer of `latest`.
    ///   - events: JSON objects as in `history`; types other than `event` are skipped.
    ///   - rows: One a second.
    /// - Returns: An HTML document.
    public static func html(
        title: String, snapshot: [UInt8], events: [[UInt8]], rows: [ReportRow]
    ) -> [UInt8] {
        let sources = PageFiles.all
        let order = AssetVersions(sources: sources).closure(of: ["report.js"])
        let styles = ["base.css", "live.css", "map.css", "report.css"].map {
            String(decoding: sources[$0] ?? [], as: UTF8.self)
        }
        let content = content(snapshot: snapshot, events: events, rows: rows)
        return PageTemplate(source: PageFiles.html("report")).filled(
            reference: { _ in nil },
            placeholder: { word in
                switch word {
                case "title": PageTemplate.escaped(title)
                case "style": styles.joined()
                case "script": ModuleBundle(sources: sources).script(of: order)
                case "content": String(decoding: content, as: UTF8.self)
                default: nil
                }
            })
    }

    /// The rows by column, because names in each of ten thousand rows would be most of the file.
    private static func content(
        snapshot: [UInt8], events: [[UInt8]], rows: [ReportRow]
    ) -> [UInt8] {
        var json = Array("{\"run\":".utf8)
        json += snapshot
        json += Array(",\"events\":[".utf8)
        json += Array(events.joined(separator: [UInt8(ascii: ",")]))
        json += Array("],\"rows\":{".utf8)
        let columns: [(String, Double, (ReportRow) -> Double?)] = [
            ("time", 10, { $0.time }), ("bpm", 10, { $0.beatsPerMinute }),
            ("zone", 1, { $0.zone.map(Double.init) }), ("speed", 100, { $0.speedMetersPerSecond }),
            ("cadence", 10, { $0.stepsPerMinute }), ("altitude", 10, { $0.altitudeMeters }),
            ("distance", 10, { $0.distanceMeters }), ("latitude", 1e6, { $0.latitude }),
            ("longitude", 1e6, { $0.longitude }), ("paused", 1, { $0.isPaused ? 1 : 0 }),
        ]
        for (index, (name, scale, value)) in columns.enumerated() {
            json += Array("\(index == 0 ? "" : ",")\"\(name)\":[".utf8)
            let texts = rows.map { number(value($0), scale: scale) }
            json += Array(texts.joined(separator: ",").utf8)
            json += Array("]".utf8)
        }
        json += Array("}}".utf8)
        return withoutTags(json)
    }

    private static func number(_ value: Double?, scale: Double) -> String {
        guard let value, value.isFinite else { return "null" }
        let rounded = (value * scale).rounded() / scale
        guard rounded == rounded.rounded(), abs(rounded) < 1e15 else { return "\(rounded)" }
        return "\(Int64(rounded))"
    }

    /// Escapes tags: a text from a runner's watch must not end its script element.
    private static func withoutTags(_ json: [UInt8]) -> [UInt8] {
        guard json.contains(UInt8(ascii: "<")) else { return json }
        var result: [UInt8] = []
        for byte in json {
            if byte == UInt8(ascii: "<") {
                result += Array("\\u003c".utf8)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}
