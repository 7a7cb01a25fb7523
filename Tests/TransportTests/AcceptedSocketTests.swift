import NIOCore
import Testing

@testable import Transport

/// What the kernel passes on from a listening socket to its connections.
@Suite(.serialized) struct AcceptedSocketTests {
    /// Number of the loop's HTTP connections whose socket sends small writes at once and has
    /// buffers of the sizes that were set, which the kernel doubles.
    private func countSound(_ daemon: FakeDaemon) async throws -> Int {
        let state = daemon.loops.states[0]
        return try await state.eventLoop.submit {
            try state.value.connections.values.count { connection in
                guard let options = (connection as? HTTPConnection)?.context?.channel.syncOptions
                else { return false }
                return try options.getOption(.tcpOption(.tcp_nodelay)) != 0
                    && options.getOption(.socketOption(.so_sndbuf))
                        == 2 * KernelBuffers.sentBytes
                    && options.getOption(.socketOption(.so_rcvbuf))
                        == 2 * KernelBuffers.receivedBytes
            }
        }.get()
    }

    @Test func `A connection has its listener's buffers and sends at once`() async throws {
        try await withServer { daemon, _, http in
            let sockets = try (0..<3).map { _ in try RawSocket(http) }
            var sound = 0
            for _ in 0..<200 where sound < 3 {
                sound = try await countSound(daemon)
                if sound < 3 { try await Task.sleep(for: .milliseconds(10)) }
            }
            #expect(sound == 3)
            withExtendedLifetime(sockets) {}
        }
    }
}
