import Logging
import Runtime

extension PulsecastDaemon {
    /// Warns about listeners that other machines can reach. Examines the actual sockets: sockets
    /// from systemd are not in the configuration.
    ///
    /// - Parameter addresses: Address of each listener, as `0.0.0.0:7480`.
    func warnAboutOpenListeners(_ addresses: [String: String]) {
        let listeners = [
            ("device", configuration.device), ("http", configuration.httpListener),
        ]
        for (name, listener) in listeners where !listener.tls {
            guard let address = addresses[name], Self.isBeyondLoopback(address) else { continue }
            logger.warning(
                """
                the \(name) port listens beyond this machine without TLS: tokens and heart rates \
                can be read on the way; set tls.certificate, or put a proxy in front
                """, metadata: ["address": "\(address)"])
        }
    }

    func warnAboutOpenFiles() {
        let wanted = configuration.bounds.connectionsMax
        let room = OpenFiles.room(for: wanted)
        guard room < wanted else { return }
        logger.warning(
            """
            the limit of open files has room for \(room) connections of \(wanted) configured: \
            ulimit -n \(wanted + OpenFiles.reserved) where it is started, or lower \
            limits.connections
            """)
    }

    static func isBeyondLoopback(_ address: String) -> Bool {
        // A path is a Unix socket, which only processes of this machine can open.
        guard !address.hasPrefix("/"), let colon = address.lastIndex(of: ":") else { return false }
        let host = address[..<colon].filter { $0 != "[" && $0 != "]" }
        return !ConfigurationLoader.isLoopback(String(host))
    }
}
