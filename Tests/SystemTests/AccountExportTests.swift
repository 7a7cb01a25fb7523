import Foundation
import Testing

extension SystemTests {
    @Suite struct AccountExportTests {
        @Test func `All there is of a device comes out in files, without a secret`() async throws {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try await daemon.addDevice("ann")
                    let link = try await daemon.addShare(of: "ann")
                    _ = try await daemon.addShare(of: try await Self.other(daemon))
                    let device = try daemon.connect()
                    let session = "9b2f7c1e-5d0a-4c53-9a51-0d5f3c1e8a77"
                    let hello = #"{"type":"hello","token":"\#(token)","session":"\#(session)"}"#
                    let time = Date().timeIntervalSince1970
                    let beat = #"{"seq":1,"type":"heartRate","heartRate":141,"timestamp":\#(time)}"#
                    await device.send(Array((hello + "\n" + beat + "\n").utf8))
                    var isThere = false
                    for _ in 0..<200 where !isThere {
                        let list = try await daemon.command(["session", "list", "--json"])
                        isThere = list.output.contains(session)
                    }
                    #expect(isThere)

                    let target = folder.file("account.zip")
                    let done = try await daemon.command(["device", "export", "ann", target])
                    #expect(done.end == .exited(0), "\(done.complaint)")
                    let out = folder.file("account")
                    let unzip = try ChildProcess(
                        "/usr/bin/unzip", ["-qq", target, "-d", out], in: folder)
                    #expect(try await unzip.waitForEnd(withinSeconds: 30) == .exited(0))
                    let files = try FileManager.default.subpathsOfDirectory(atPath: out)
                        .filter { $0 != "sessions" }
                    let recordings = files.filter { $0.hasPrefix("sessions/") }
                    #expect(recordings.count == 1 && recordings[0].hasSuffix("_\(session).ndjson"))
                    #expect(files.contains("profile.json") && files.contains("zones.json"))
                    #expect(!files.contains("missing.txt"))
                    for file in files {
                        let text = try String(contentsOfFile: out + "/" + file, encoding: .utf8)
                        #expect(!text.isEmpty && !text.contains(token) && !text.contains(link))
                    }
                    let again = try await daemon.command(["device", "export", "ann", target])
                    #expect(again.end != .exited(0) && again.complaint.contains("there already"))
                    let nobody = folder.file("nobody.zip")
                    let unknown = try await daemon.command(["device", "export", "no", nobody])
                    #expect(unknown.end != .exited(0) && unknown.complaint.contains("no device"))
                    #expect(!FileManager.default.fileExists(atPath: nobody))
                    device.close()
                }
            }
        }

        private static func other(_ daemon: DaemonProcess) async throws -> String {
            _ = try await daemon.addDevice("bob")
            return "bob"
        }
    }
}
