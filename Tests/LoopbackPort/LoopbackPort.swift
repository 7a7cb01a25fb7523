import Glibc

/// A TCP socket bound to a port of the loopback address that was free; it does not listen yet.
package struct LoopbackPort {
    /// The owner closes it.
    package let descriptor: CInt
    package let number: UInt16

    package init() {
        let descriptor = socket(
            AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
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
        self.descriptor = descriptor
        number = UInt16(bigEndian: address.sin_port)
    }

    /// A port that nobody listens on.
    package static func free() -> Int {
        let port = LoopbackPort()
        close(port.descriptor)
        return Int(port.number)
    }
}
