import Glibc

/// Sends datagrams to a Unix socket, for systemd and the journal.
package enum UnixDatagram {
    /// Sends once, without waiting; a datagram that cannot be sent is dropped.
    ///
    /// - Parameters:
    ///   - bytes: The datagram.
    ///   - path: A path, or a name in the abstract namespace with `@` in front.
    /// - Returns: Whether the kernel accepted it.
    @discardableResult
    package static func send(_ bytes: [UInt8], to path: String) -> Bool {
        var name = Array(path.utf8)
        var address = sockaddr_un()
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard !name.isEmpty, name.count < room else { return false }
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
            unsafe place.copyBytes(from: name)
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let sent = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe sendto(
                    descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT), address, length)
            }
        }
        return sent == bytes.count
    }
}
