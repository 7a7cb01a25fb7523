import Foundation
import Testing

/// The verdict of systemd itself on the units, where it is installed.
@Suite struct SystemdAnalyzeTests {
    private static let program = "/usr/bin/systemd-analyze"
    private static var isInstalled: Bool {
        FileManager.default.isExecutableFile(atPath: program)
    }
    private static let skipped: Comment = "skipped: \(program) is missing, install systemd"

    @Test(.enabled(if: isInstalled, skipped), arguments: [false, true])
    func `Every unit verifies without a word`(withDropIn: Bool) throws {
        let units = try UnitFolder(withDropIn: withDropIn)
        defer { units.remove() }
        let said = try Self.run(["verify", "--man=no"] + units.paths)
        #expect(said.status == 0 && said.text == "", "\(said.text)")
    }

    @Test(.enabled(if: isInstalled, skipped), arguments: [(false, 13), (true, 5)])
    func `The exposure stays within bounds`(withDropIn: Bool, tenthsMax: Int) throws {
        let units = try UnitFolder(withDropIn: withDropIn)
        defer { units.remove() }
        // The threshold is in tenths; above it the command fails.
        let said = try Self.run([
            "security", "--offline=yes", "--no-pager", "--threshold=\(tenthsMax)",
            units.service,
        ])
        let verdict = said.text.split(separator: "\n").last ?? "it says nothing"
        #expect(said.status == 0 && verdict.contains("exposure level"), "\(verdict)")
    }

    private static func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}

/// The units in a temporary folder with an existing program, because the daemon is not installed
/// here.
private struct UnitFolder {
    private let folder: URL
    let paths: [String]

    var service: String { folder.appending(path: "pulsecast.service").path }

    init(withDropIn: Bool) throws {
        let manager = FileManager.default
        let source = InstalledFile.root.appending(path: "systemd")
        folder = manager.temporaryDirectory.appending(path: "units-\(UUID().uuidString)")
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        var paths: [String] = []
        for name in try manager.contentsOfDirectory(atPath: source.path).sorted()
        where name.hasSuffix(".service") || name.hasSuffix(".socket") {
            let text = try InstalledFile.text("systemd/\(name)")
                .replacingOccurrences(
                    of: "ExecStart=/usr/bin/pulsecast", with: "ExecStart=/bin/true")
            let place = folder.appending(path: name)
            try text.write(to: place, atomically: false, encoding: .utf8)
            paths.append(place.path)
        }
        self.paths = paths
        if withDropIn {
            try manager.copyItem(
                at: source.appending(path: "pulsecast.service.d"),
                to: folder.appending(path: "pulsecast.service.d"))
        }
    }

    func remove() {
        // A leftover in the temporary directory is harmless.
        try? FileManager.default.removeItem(at: folder)
    }
}
