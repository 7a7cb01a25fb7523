import Foundation
import Testing

extension SystemTests {
    /// The commands for hidden places and courses.
    @Suite struct PlaceCommandTests {
        @Test func `Zones are added, listed and removed, and runs are trimmed`() async throws {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    _ = try await daemon.addDevice("ann")
                    let zone = ["device", "zone"]
                    let none = try await daemon.command(zone + ["list", "ann"])
                    #expect(none.output.hasPrefix("no zone\ntrimmed: 0 m"), "\(none.output)")
                    let added = try await daemon.command(
                        zone + [
                            "add", "ann", "at home", "--latitude", "-33.9", "--longitude", "-70.5",
                            "--radius", "250",
                        ])
                    #expect(added.end == .exited(0), "\(added.complaint)")
                    let trimmed = try await daemon.command(
                        ["device", "trim", "ann", "--start", "300", "--json"])
                    #expect(trimmed.object["trimStartMeters"] as? Double == 300)
                    #expect(trimmed.object["trimFinishMeters"] as? Double == 0)
                    let listed = try await daemon.command(zone + ["list", "ann"])
                    for word in ["at home", "-33.9", "-70.5", "250", "300 m of the start"] {
                        #expect(listed.output.contains(word), "\(listed.output)")
                    }
                    let trims = try await daemon.command(["device", "trim", "ann"])
                    #expect(trims.output == listed.output)
                    let removed = try await daemon.command(zone + ["remove", "ann", "at home"])
                    #expect(removed.output.hasPrefix("no zone\n"), "\(removed.complaint)")
                    let again = try await daemon.command(zone + ["remove", "ann", "at home"])
                    #expect(again.end == .exited(1))
                    #expect(again.complaint.contains("at home"), "\(again.complaint)")
                    let far = try await daemon.command(
                        zone + ["add", "ann", "x", "--latitude", "91", "--longitude", "0"])
                    #expect(far.end == .exited(2))
                    #expect(far.complaint.contains("-90 to 90"), "\(far.complaint)")
                    let long = try await daemon.command(
                        ["device", "trim", "ann", "--finish", "1000000"])
                    #expect(long.end == .exited(2))
                    #expect(long.complaint.contains("trimFinishMeters"), "\(long.complaint)")
                }
            }
        }

        @Test func `A course is set from a file, shown as it was, and removed`() async throws {
            let gpx = """
                <gpx version="1.1"><wpt lat="48.1005" lon="11.5"><name>bridge</name></wpt><rte>
                <name>Loop</name><rtept lat="48.1" lon="11.5"/><rtept lat="48.101" lon="11.5"/>
                <rtept lat="48.102" lon="11.5"/></rte></gpx>
                """
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    _ = try await daemon.addDevice("ann")
                    let course = ["device", "course"]
                    let none = try await daemon.command(course + ["show", "ann"])
                    #expect(none.end == .exited(1))
                    #expect(none.complaint.contains("there is no course"), "\(none.complaint)")
                    let file = try folder.write(gpx, to: "loop.gpx")
                    let set = try await daemon.command(course + ["set", "ann", file])
                    #expect(
                        set.output == "Loop: 3 points, checkpoints bridge\n", "\(set.complaint)")
                    let shown = try await daemon.command(course + ["show", "ann"])
                    #expect(shown.output.contains(gpx))
                    let removed = try await daemon.command(course + ["remove", "ann"])
                    #expect(removed.end == .exited(0), "\(removed.complaint)")
                    #expect(try await daemon.command(course + ["show", "ann"]).end == .exited(1))
                    let missing = try await daemon.command(course + ["set", "ann", "no.gpx"])
                    #expect(missing.complaint.contains("no.gpx cannot be read"))
                    let text = try folder.write("no course", to: "no.gpx")
                    let wrong = try await daemon.command(course + ["set", "ann", text])
                    #expect(wrong.end == .exited(2), "\(wrong.complaint)")
                }
            }
        }
    }
}
