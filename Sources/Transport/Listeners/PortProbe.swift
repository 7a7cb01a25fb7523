import NIOCore
import NIOPosix

/// Tries whether a port can be listened on, and lets go of it at once.
public enum PortProbe {
    /// - Parameters:
    ///   - host: An address of this machine.
    ///   - port: 0 is always free.
    /// - Returns: Whether nobody else has it and the machine has the address.
    public static func isFree(host: String, port: Int) async -> Bool {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        guard let channel = try? await bootstrap.bind(host: host, port: port).get() else {
            return false
        }
        // A probe that is closed already is closed.
        try? await channel.close()
        return true
    }
}
