import Foundation

/// A datagram socket in its own folder: systemd's end of sd_notify(3).
final class DatagramInbox {
    let path: String
    private let folder: URL
    private let descriptor: Int32

    struct Unusable: Error {
        let code: Int32
    }

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "inbox-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "notify").path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, length)
            }
        }
        guard bound == 0 else { throw Unusable(code: errno) }
    }

    deinit {
        close(descriptor)
        // A leftover in the temporary directory is harmless.
        try? FileManager.default.removeItem(at: folder)
    }

    /// The next datagram; `nil`: none has come. Unix datagrams arrive before `send` returns.
    func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
