import Glibc
import NIOCore

extension Channel {
    /// Acknowledges received data without the kernel's delay of 40 ms.
    ///
    /// A client that keeps Nagle's algorithm on holds back its request until its last handshake
    /// message is acknowledged, and the daemon has nothing to send before (RFC 896, RFC 1122
    /// section 4.2.3.2).
    func acknowledgeAtOnce() {
        let option = ChannelOptions.Types.SocketOption(
            level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_QUICKACK))
        // It fails only on a closed channel, or one that is not TCP.
        try? syncOptions?.setOption(option, value: 1)
    }
}
