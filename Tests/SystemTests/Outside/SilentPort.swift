import Glibc
import LoopbackPort

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
        let port = LoopbackPort()
        (descriptor, number) = (port.descriptor, port.number)
        listen(descriptor, accepts ? 16 : 0)
        if !accepts { filling = [try PlainSocket(port: number)] }
    }

    deinit {
        Glibc.close(descriptor)
    }
}
