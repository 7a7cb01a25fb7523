import Cluster
import Foundation
import NATS
import Synchronization
import Testing

/// Three servers with a copy of each message on all of them.
@Suite(.serialized, .enabled(if: NATSServer.isThere, Comment(rawValue: NATSServer.needs)))
struct NATSClusterTests {
    private static let messageCount = 300

    private static func message(_ sequence: Int) -> [UInt8] { Array("message \(sequence)".utf8) }

    /// Reads on a thread of its own while the caller writes.
    private static func startReading(
        _ stream: NATSStream
    ) -> (finished: DispatchSemaphore, messages: () -> [StreamMessage]) {
        let shared = Shared()
        let finished = DispatchSemaphore(value: 0)
        let thread = Thread {
            let read = (try? stream.readAll(messageCount)) ?? []
            shared.messages.withLock { $0 = read }
            finished.signal()
        }
        thread.start()
        return (finished, { shared.messages.withLock { $0 } })
    }

    private final class Shared: Sendable {
        let messages = Mutex<[StreamMessage]>([])
    }

    @Test(arguments: [SIGKILL, SIGSTOP])
    func `No message is lost or doubled when the stream's leader is away`(signal: Int32) throws {
        try NATSServer.with { folder in
            let servers = try NATSServer.cluster(in: folder)
            let urls = servers.map(\.url)
            let writer = try NATSStream.on(urls, replicas: 3)
            let before = try writer.patiently { s in try s.state() }
            #expect(before.last == 0)
            let reader = Self.startReading(try NATSStream.on(urls, replicas: 3))
            var away: NATSServer?
            for sequence in 1...Self.messageCount {
                if sequence == Self.messageCount / 3 {
                    let name = try #require(try servers[0].leader(of: "pulsecast-1"))
                    away = servers.first { $0.name == name }
                    try #require(away != nil)
                    if signal == SIGKILL { away?.kill() } else { away?.signal(SIGSTOP) }
                }
                if sequence == 2 * Self.messageCount / 3 {
                    if signal == SIGKILL { try away?.start() } else { away?.signal(SIGCONT) }
                }
                let stored = try writer.patiently { s in
                    try s.append(
                        Self.message(sequence), after: UInt64(sequence - 1), name: "m\(sequence)")
                }
                #expect(stored == UInt64(sequence))
            }
            #expect(reader.finished.wait(timeout: .now() + .seconds(120)) == .success)
            let expected = (1...Self.messageCount).map {
                StreamMessage(sequence: UInt64($0), bytes: Self.message($0))
            }
            #expect(reader.messages() == expected)
            #expect(try writer.readAll(Self.messageCount) == expected)
            let after = try writer.patiently { s in try s.state() }
            #expect(after.identity == before.identity)
            #expect(after.last == UInt64(Self.messageCount))
        }
    }

    @Test func `Without a majority the stream is unavailable, and goes on with one`() throws {
        try NATSServer.with { folder in
            let servers = try NATSServer.cluster(in: folder)
            // Its connection stays: the two others are away.
            let stream = try NATSStream.on([servers[0].url], replicas: 3)
            _ = try stream.patiently { s in try s.state() }
            #expect(try stream.append([1], after: 0, name: "a") == 1)
            servers[1].kill()
            servers[2].kill()
            #expect(throws: ClusterStreamError.self) {
                try stream.append([2], after: 1, name: "b")
            }
            try servers[1].start()
            let sequence = try stream.patiently { s in
                try s.append([2], after: 1, name: "b")
            }
            #expect(sequence == 2)
            #expect(try stream.readAll(2).map(\.bytes) == [[1], [2]])
        }
    }
}
