import Testing

@testable import Runtime

struct OpenFilesTests {
    @Test(arguments: [
        (10_000, 65_536, 10_000), (10_000, 10_256, 10_000), (10_000, 1024, 768), (500, 1024, 500),
        (10_000, 256, OpenFiles.connectionsMin), (10_000, 0, OpenFiles.connectionsMin),
    ])
    func `There are no more connections than files for them`(
        connections: Int, files: Int, room: Int
    ) {
        #expect(OpenFiles.room(for: connections, files: files) == room)
    }
}
