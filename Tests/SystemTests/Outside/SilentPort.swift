import Glibc

/// A loopback port whose connections the kernel accepts and nobody reads, or that does not even
/// accept.
final class SilentPort {
    let number: UInt16
    private let descriptor: CInt
    /// Connections that fill the queue, so that the kernel drops all others.
    private var filling: [PlainSocket] = []

    /// - Parameter accepts: `false`: a connection is neither accepted nor refused.
    /// - Throws: If the queue cannot be filled.
    init(accepts: Bool) throws {
        let descriptor = socket(
            AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe bind(descriptor, $0, length)
                _ = unsafe getsockname(descriptor, $0, &length)
            }
        }
        number = UInt16(bigEndian: address.sin_port)
        listen(descriptor, accepts ? 16 : 0)
        if !accepts { filling = [try PlainSocket(port: number)] }
    }

    deinit {
        Glibc.close(descriptor)
    }
}
