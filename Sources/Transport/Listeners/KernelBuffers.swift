import NIOCore

/// Bytes that the kernel keeps of a connection, in both directions. No budget counts them, and without
/// a limit they grow to several MiB. Set on each connection, so also where systemd opened the socket.
enum KernelBuffers {
    /// What a peer has not read; the kernel takes as much again for its own use. A peer 100 ms away gets
    /// 640 KB/s.
    private static let sentBytes = 64 << 10
    /// The same of what the daemon has not read: strangers and viewers say little.
    private static let receivedBytes = 16 << 10
    /// A device that was offline sends all it has.
    private static let receivedOfDeviceBytes = 64 << 10

    /// On the connection's loop.
    static func limit(_ channel: any Channel) throws {
        try channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: sentBytes)
        try channel.syncOptions?.setOption(.socketOption(.so_rcvbuf), value: receivedBytes)
    }

    /// For a connection that a device's token was accepted on.
    static func widen(_ channel: any Channel) {
        // Of a connection that has ended nothing is wanted.
        channel.setOption(.socketOption(.so_rcvbuf), value: receivedOfDeviceBytes)
            .whenComplete { _ in }
    }
}
