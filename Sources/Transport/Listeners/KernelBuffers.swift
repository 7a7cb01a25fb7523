import NIOCore

/// The sizes of a connection's kernel buffers, in both directions.
///
/// No budget counts these bytes, and without a limit they grow to several MiB.
enum KernelBuffers {
    /// Bytes that a peer has not read; the kernel takes as much again for its own use. A peer
    /// 100 ms away gets 640 KB/s.
    static let sentBytes = 64 << 10
    /// Bytes that the daemon has not read. With 16 KiB, uploads over loopback, as from a proxy,
    /// repeatedly waited for 200 ms, because a segment there has 64 KiB.
    static let receivedBytes = 64 << 10

    /// Sets both sizes, on the connection's loop.
    static func limit(_ channel: any Channel) throws {
        try channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: sentBytes)
        try channel.syncOptions?.setOption(.socketOption(.so_rcvbuf), value: receivedBytes)
    }
}
