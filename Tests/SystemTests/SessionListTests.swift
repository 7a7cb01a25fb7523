import Foundation
import Testing

extension SystemTests {
    @Suite struct SessionListTests {
        @Test func `A recording is listed on the day it was made, with a distance one can read`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try await daemon.addDevice("ann")
                    let pushed = try await Program.run(
                        [
                            "push", try folder.write(Self.gpx, to: "river.gpx"), "--to",
                            "tcp://127.0.0.1:\(try daemon.port(of: "device"))",
                            "--token-file", try folder.write(token, to: "token"),
                            "--speed", "max",
                        ], in: folder)
                    try #require(pushed.end == .exited(0), "\(pushed.complaint)")
                    let list = try await daemon.command(["session", "list"])
                    let row = try #require(
                        list.output.split(separator: "\n").first { $0.contains(" ann ") })
                    #expect(row.contains("2024-05-01T06:30:00Z"), "\(row)")
                    // The name, which it does not have yet, comes after the distance.
                    let distance = try #require(row.split(separator: " ").dropLast().last)
                    #expect(try /\d+\.\d/.wholeMatch(in: distance) != nil, "\(row)")
                    #expect(abs((Double(distance) ?? 0) - 334) < 10, "\(row)")

                    let named = try await daemon.command([
                        "session", "set", "latest", "--name", "By the river", "--exertion", "4",
                    ])
                    #expect(named.end == .exited(0) && named.output == "changed\n")
                    let later = try await daemon.command(["session", "list"])
                    #expect(later.output.contains("  By the river\n"))
                    for (text, isFound) in [
                        ("RIVER", true), ("2024-05-01", true), ("2024-1", false), ("sea", false),
                    ] {
                        let found = try await daemon.command([
                            "session", "list", "--search", text,
                        ])
                        #expect(found.output.contains("By the river") == isFound, "\(text)")
                    }
                    let wrong = try await daemon.command([
                        "session", "set", "latest", "--exertion", "11",
                    ])
                    #expect(wrong.complaint.contains("1 to 10"), "\(wrong.complaint)")
                    let nothing = try await daemon.command(["session", "set", "latest"])
                    #expect(nothing.complaint.contains("--exertion"), "\(nothing.complaint)")
                }
            }
        }

        /// 100 s due north at 3.34 m/s.
        private static let gpx: String = {
            let points = (0...100).map { second in
                let latitude = String(format: "%.6f", 48.1 + 0.00003 * Double(second))
                let time = String(format: "2024-05-01T06:%02d:%02dZ", 30 + second / 60, second % 60)
                return #"<trkpt lat="\#(latitude)" lon="11.5"><time>\#(time)</time></trkpt>"#
            }
            return """
                <?xml version="1.0"?><gpx version="1.1" creator="test"
                xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>\(points.joined())
                </trkseg></trk></gpx>
                """
        }()
    }
}
