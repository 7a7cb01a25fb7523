import Foundation
import Testing

extension SystemTests {
    @Suite struct ImportCommandTests {
        /// The daemon accepts one file of a device at a time and refuses others meanwhile.
        @Test func `Files that four programs bring in at once all come, each of them once`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try folder.write(try await daemon.addDevice("ann"), to: "token")
                    let address = "http://127.0.0.1:\(try daemon.port(of: "http"))"
                    let files = try (1...12).map {
                        try folder.write(Self.csv(ofDay: $0), to: "run\($0).csv")
                    }
                    let programs = try (0..<4).map { number in
                        let own = files.enumerated().filter { $0.offset % 4 == number }
                        return try ChildProcess(
                            Program.path,
                            ["import"] + own.map(\.element)
                                + ["--to", address, "--token-file", token],
                            in: folder)
                    }
                    for program in programs {
                        let end = try await program.waitForEnd(withinSeconds: 120)
                        #expect(end == .exited(0), "\(program.complaint)")
                        #expect(program.output.split(separator: "\n").count == 3)
                    }
                    let again = try await Program.run(
                        ["import", files[0], "--to", address, "--token-file", token], in: folder)
                    #expect(again.end == .exited(1))
                    #expect(again.complaint.contains("is there already"), "\(again.complaint)")
                }
            }
        }

        /// A file of ten minutes north at 3 m/s, on a day in May.
        private static func csv(ofDay day: Int) -> String {
            let start = 1_714_521_600 + 86_400 * day
            let rows = (0..<600).map { second in
                "\(start + second),48.\(100_000 + 27 * second),11.5,\(120 + (second + day) % 9)\n"
            }
            return "time,latitude,longitude,heartRate\n" + rows.joined()
        }
    }
}
