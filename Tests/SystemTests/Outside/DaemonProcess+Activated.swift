import Foundation
import Glibc

extension DaemonProcess {
    /// Runs `body` with a daemon whose sockets stay open over restarts, as with systemd;
    /// ``restart()`` is `systemctl restart`.
    static func runActivated<Result>(
        in folder: TemporaryFolder, _ body: (DaemonProcess) async throws -> Result
    ) async throws -> Result {
        let parent = try ChildProcess(
            "/usr/bin/env",
            [
                "python3", "-c", parentScript, Program.path, "serve", "--state",
                state(in: folder),
            ], in: folder)
        defer { parent.signal(SIGTERM) }
        let daemon = DaemonProcess(
            process: parent, folder: folder, addresses: try await addresses(of: parent))
        // The question waits in the socket until the daemon is up.
        while try await daemon.metric("pulsecast_sessions_live") == nil {
            try await Task.sleep(for: .milliseconds(20))
        }
        let result = try await body(daemon)
        parent.signal(SIGTERM)
        try await parent.waitForEnd(withinSeconds: 60)
        return result
    }

    /// Ends the daemon in order and starts it again, while its sockets stay open.
    func restart() { process.signal(SIGHUP) }

    /// Opens the sockets, prints them, and hands them to one daemon after the other.
    private static let parentScript = """
        import fcntl, json, os, signal, socket, sys

        names = ["device", "http", "operations"]
        doors = [socket.create_server(("127.0.0.1", 0), backlog=4096) for _ in names]
        places = {n: "127.0.0.1:%d" % d.getsockname()[1] for n, d in zip(names, doors)}
        print(json.dumps(places), flush=True)
        child, stopping = 0, False

        def start():
            pid = os.fork()
            if pid:
                return pid
            high = [fcntl.fcntl(door.fileno(), fcntl.F_DUPFD, 50) for door in doors]
            for index, descriptor in enumerate(high):
                os.dup2(descriptor, 3 + index)
                os.close(descriptor)
            os.environ.update(
                LISTEN_PID=str(os.getpid()), LISTEN_FDS="3", LISTEN_FDNAMES=":".join(names))
            os.execv(sys.argv[1], sys.argv[1:])

        def stop(*_):
            global stopping
            stopping = True
            os.kill(child, signal.SIGTERM)

        # What starts this may have blocked them for itself.
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGHUP, lambda *_: os.kill(child, signal.SIGTERM))
        while not stopping:
            child = start()
            os.waitpid(child, 0)
        """
}
