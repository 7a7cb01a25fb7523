import Foundation

/// systemd's end of sd_notify(3) in a separate process; keeps every datagram.
final class NotifyInbox {
    let path: String
    private let process: ChildProcess

    /// - Parameters:
    ///   - folder: Folder of the socket.
    ///   - signal: Signal sent at once to a process that reports ready; 0: none.
    /// - Throws: The reason why the process did not start.
    init(in folder: TemporaryFolder, answering signal: Int32 = 0) async throws {
        path = folder.file("notify")
        process = try ChildProcess(
            "/usr/bin/env", ["python3", "-c", Self.script, path, String(signal)], in: folder)
        while process.isRunning, !process.output.contains("bound") {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    deinit { process.signal(SIGKILL) }

    /// The assignments so far, in order; `MONOTONIC_USEC=17` is kept by name only.
    var received: [String] {
        process.output.split(separator: "\n").dropFirst().map { line in
            line.hasPrefix("MONOTONIC_USEC=") ? "MONOTONIC_USEC" : String(line)
        }
    }

    /// Waits until `count` lines equal to `line` have come.
    func wait(for line: String, count: Int = 1) async throws {
        while process.isRunning, received.filter({ $0 == line }).count < count {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private static let script = """
        import os, socket, struct, sys

        inbox = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        inbox.bind(sys.argv[1])
        inbox.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        print("bound", flush=True)
        while True:
            message, credentials, _, _ = inbox.recvmsg(4096, 256)
            if message.startswith(b"READY=1") and sys.argv[2] != "0":
                sender = struct.unpack("3i", credentials[0][2][:12])[0]
                os.kill(sender, int(sys.argv[2]))
                sys.argv[2] = "0"
            print(message.decode(), flush=True)
        """
}
