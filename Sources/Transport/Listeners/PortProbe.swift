import NIOCore
import NIOPosix

/// Tests whether a port can be listened on, and releases it at once.
public enum PortProbe {
    /// - Parameters:
    ///   - host: An address of this machine.
    ///   - port: 0 is always free.
    /// - Returns: Whether no other socket has the port and the machine has the address.
    public static func isFree(host: String, port: Int) async -> Bool {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        guard let channel = try? await bootstrap.bind(host: host, port: port).get() else {
            return false
        }
        // An error here means that the probe is already closed.
        try? await channel.close()
        return true
    }
}
