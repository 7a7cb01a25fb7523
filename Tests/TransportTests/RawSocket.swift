import Dispatch
import Glibc

/// A blocking TCP client that sends exactly the given bytes.
final class RawSocket: Sendable {
    private let descriptor: CInt

    enum Failure: Error {
        case cannotConnect(CInt)
        case closed(after: String)
        case timedOut(after: String)
    }

    /// Connects to `127.0.0.1:port`, as the server reports it.
    init(
        _ address: String, receiveBufferBytes: CInt? = nil, sendBufferBytes: CInt? = nil
    ) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        if var bytes = receiveBufferBytes {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, 4)
        }
        if var bytes = sendBufferBytes {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, 4)
        }
        var timeout = timeval(tv_sec: 10, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout,
            socklen_t(MemoryLayout<timeval>.size))
        let port = UInt16(address.split(separator: ":").last ?? "") ?? 0
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure.cannotConnect(errno) }
    }

    deinit {
        Glibc.close(descriptor)
    }

    func close() {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    /// Makes the end of this object reset the connection, without a close handshake.
    func resetAtEnd() {
        var now = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }

    func finishWriting() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    func send(_ text: String) async {
        await send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) async {
        await Self.blocking { [descriptor] in
            var start = 0
            while start < bytes.count {
                let sent = unsafe bytes[start...].withUnsafeBytes {
                    unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard sent > 0 else { return }
                start += sent
            }
        }
    }

    /// - Returns: The number of bytes that the kernel accepted at once; 0 also if the peer is gone.
    func sendNow(_ bytes: [UInt8]) -> Int {
        let sent = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(
                descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
        }
        return max(0, sent)
    }

    /// Bytes that the peer's kernel has not accepted yet, which a reset would discard.
    var unsentBytes: Int {
        var count: CInt = 0
        let result = unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count)
        precondition(result == 0, "TIOCOUTQ failed: \(errno)")
        return Int(count)
    }

    /// - Returns: At least one byte; empty at the end of the stream.
    func receive(_ bytesMax: Int = 65_536) async throws -> [UInt8] {
        let (bytes, code) = await Self.blocking { [descriptor] () -> ([UInt8], CInt) in
            var bytes = [UInt8](repeating: 0, count: bytesMax)
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
            }
            return (Array(bytes.prefix(max(0, count))), count < 0 ? errno : 0)
        }
        if code == EAGAIN { throw Failure.timedOut(after: "") }
        return bytes
    }

    /// Reads until `text` has come; fails when the stream ends before.
    @discardableResult
    func receive(until text: String) async throws -> String {
        var all: [UInt8] = []
        while true {
            let read = String(decoding: all, as: UTF8.self)
            if read.contains(text) { return read }
            let more: [UInt8]
            do { more = try await receive() } catch { throw Failure.timedOut(after: read) }
            guard !more.isEmpty else { throw Failure.closed(after: read) }
            all += more
        }
    }

    func receiveAll() async throws -> String {
        String(decoding: try await receiveAllBytes(), as: UTF8.self)
    }

    func receiveAllBytes() async throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let more = try await receive()
            guard !more.isEmpty else { return all }
            all += more
        }
    }

    /// Runs `body` on a thread that may block, so that the tests' own pool stays free.
    static func blocking<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }
}
