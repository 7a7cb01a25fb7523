import Foundation
import Testing

@testable import ViewerPages

@Suite struct ReportPageTests {
    @Test func `A report needs nothing from anywhere`() {
        let text = Self.report(title: "Morning run")
        #expect(text.contains("<h1>Morning run</h1>"))
        #expect(!text.contains("{{"))
        #expect(!text.contains("/assets/"))
        #expect(text.firstMatch(of: /<(link|img)\b/) == nil)
        #expect(text.firstMatch(of: /(?m)^(import|export)\s/) == nil)
    }

    @Test func `What a watch has sent cannot leave its place`() {
        let text = Self.report(
            title: "<b>&\"", events: [#"{"type":"event","event":"marker","text":"</script><b>"}"#])
        #expect(text.contains("<h1>&lt;b&gt;&amp;&quot;</h1>"))
        #expect(!text.contains("</script><b>"))
        #expect(text.contains(#"\u003c/script>"#))
    }

    @Test func `Its content is JSON, with null for what was not known`() throws {
        let text = Self.report(title: "x")
        let content = try #require(
            text.firstMatch(of: /id="report-content">(.*)<\/script>/)?.output.1)
        let object = try JSONSerialization.jsonObject(with: Data(content.utf8))
        let rows = try #require((object as? [String: Any])?["rows"] as? [String: [Any]])
        #expect(rows["bpm"]?.first as? Double == 150.5)
        #expect(rows["bpm"]?.last is NSNull)
        #expect(rows["time"]?.count == 2)
    }

    @Test func `Joined modules are one script that a parser accepts`() throws {
        let node = "/usr/bin/node"
        guard FileManager.default.isExecutableFile(atPath: node) else { return }
        let text = Self.report(title: "x")
        let script = try #require(
            text.firstMatch(of: /<script>\n((?s).*)<\/script>/)?.output.1)
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).js")
        try Data(script.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = try Process.run(
            URL(filePath: node), arguments: ["--check", file.path])
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    private static func report(title: String, events: [String] = []) -> String {
        var first = ReportRow(time: 1_763_700_000)
        first.beatsPerMinute = 150.5
        let rows = [first, ReportRow(time: 1_763_700_001)]
        let html = ReportPage.html(
            title: title, snapshot: Array(#"{"distanceMeters":10}"#.utf8),
            events: events.map { Array($0.utf8) }, rows: rows)
        return String(decoding: html, as: UTF8.self)
    }
}
