import NIOCore

/// Bytes that the kernel keeps of a connection, in both directions. No budget counts them, and without
/// a limit they grow to several MiB. Set on each connection, so also where systemd opened the socket.
enum KernelBuffers {
    /// What a peer has not read; the kernel takes as much again for its own use. A peer 100 ms away gets
    /// 640 KB/s.
    private static let sentBytes = 64 << 10
    /// The same of what the daemon has not read. With 16 KiB uploads over loopback, as from a proxy, waited
    /// for 200 ms again and again: a segment there has 64 KiB.
    private static let receivedBytes = 64 << 10

    /// On the connection's loop.
    static func limit(_ channel: any Channel) throws {
        try channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: sentBytes)
        try channel.syncOptions?.setOption(.socketOption(.so_rcvbuf), value: receivedBytes)
    }
}
