import Dispatch
import Glibc
import Synchronization

/// A TCP connection that sends exactly the given bytes and reads lines or bytes.
final class PlainSocket: Sendable {
    enum Failure: Error {
        case cannotConnect(CInt)
        case silent(afterSeconds: Int)
    }

    private static let patienceSeconds = 60
    private let descriptor: CInt
    /// A thread for each direction: both may block, and the shared ones are few.
    private let sending = DispatchQueue(label: "sending")
    private let receiving = DispatchQueue(label: "receiving")
    /// Bytes received and not yet read.
    private let pending = Mutex<[UInt8]>([])
    private let ended = Mutex(false)

    /// Whether a reader has seen the end.
    var hasEnded: Bool { ended.withLock { $0 } }

    /// Connects on loopback.
    init(port: UInt16) throws {
        descriptor = socket(
            AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var timeout = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout,
            socklen_t(MemoryLayout<timeval>.size))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(
                    descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let reason = errno
            Glibc.close(descriptor)
            throw Failure.cannotConnect(reason)
        }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Ends both directions; a reader sees the end.
    func close() {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    /// Ends sending and continues reading, as `nc` does at the end of its input.
    func endSending() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    // MARK: - Sending

    @discardableResult
    func send(line: String) async -> Bool {
        await send(Array(line.utf8) + [UInt8(ascii: "\n")])
    }

    /// - Returns: Whether the system accepted all bytes; `false` if the peer has gone.
    @discardableResult
    func send(_ bytes: [UInt8]) async -> Bool {
        await Self.blocking(sending) { [descriptor] in
            var start = 0
            while start < bytes.count {
                let sent = unsafe bytes[start...].withUnsafeBytes {
                    unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard sent > 0 else { return false }
                start += sent
            }
            return true
        }
    }

    // MARK: - Reading

    /// - Returns: The next line without its end; `nil` at the end of the connection.
    func line() async throws -> String? {
        while true {
            let line = pending.withLock { pending -> String? in
                guard let end = pending.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                defer { pending.removeSubrange(...end) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            if let line { return line }
            guard try await receive() else { return nil }
        }
    }

    /// - Returns: Exactly `count` bytes; `nil` at the end of the connection.
    func bytes(_ count: Int) async throws -> [UInt8]? {
        while pending.withLock({ $0.count < count }) {
            guard try await receive() else { return nil }
        }
        return pending.withLock { pending in
            defer { pending.removeSubrange(..<count) }
            return Array(pending[..<count])
        }
    }

    /// - Returns: The text received until the peer closed.
    func rest() async throws -> String {
        while try await receive() {}
        return pending.withLock { String(decoding: $0, as: UTF8.self) }
    }

    /// - Returns: `false` at the end of the connection, for any reason.
    private func receive() async throws -> Bool {
        let (bytes, reason) = await Self.blocking(receiving) { [descriptor] () -> ([UInt8], CInt) in
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
            }
            return (Array(bytes.prefix(max(0, count))), count < 0 ? errno : 0)
        }
        if reason == EAGAIN { throw Failure.silent(afterSeconds: Self.patienceSeconds) }
        pending.withLock { $0 += bytes }
        if bytes.isEmpty { ended.withLock { $0 = true } }
        return !bytes.isEmpty
    }

    /// On a thread that may block, so that the tests' own pool stays free.
    private static func blocking<Result: Sendable>(
        _ queue: DispatchQueue, _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }
}
