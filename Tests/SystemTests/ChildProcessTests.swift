import Foundation
import Testing

extension SystemTests {
    @Suite struct ChildProcessTests {
        @Test func `Processes that have ended leave no file of theirs open`() async throws {
            try await TemporaryFolder.with { folder in
                for _ in 0..<20 {
                    let process = try ChildProcess("/usr/bin/true", [], in: folder)
                    try await process.waitForEnd()
                }
                let descriptors = "/proc/self/fd/"
                let files = FileManager.default
                let open = try files.contentsOfDirectory(atPath: descriptors).compactMap {
                    try? files.destinationOfSymbolicLink(atPath: descriptors + $0)
                }
                #expect(open.filter { $0.hasPrefix(folder.path) } == [])
            }
        }
    }
}
