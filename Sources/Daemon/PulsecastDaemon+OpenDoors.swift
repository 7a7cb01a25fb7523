import Logging

extension PulsecastDaemon {
    /// Says which doors can be listened at from elsewhere. Goes by the sockets as they are: those
    /// that systemd opened are not in the configuration.
    ///
    /// - Parameter addresses: Where each door listens, as `0.0.0.0:7480`.
    func warnAboutOpenDoors(_ addresses: [String: String]) {
        let doors = [
            ("device", configuration.device), ("http", configuration.httpListener),
        ]
        for (name, listener) in doors where !listener.tls {
            guard let address = addresses[name], Self.isBeyondLoopback(address) else { continue }
            logger.warning(
                """
                the \(name) port listens beyond this machine without TLS: tokens and heart rates \
                can be read on the way; set tls.certificate, or put a proxy in front
                """, metadata: ["address": "\(address)"])
        }
    }

    static func isBeyondLoopback(_ address: String) -> Bool {
        // A path is a Unix socket: whoever opens it is on this machine.
        guard !address.hasPrefix("/"), let colon = address.lastIndex(of: ":") else { return false }
        let host = address[..<colon].filter { $0 != "[" && $0 != "]" }
        return !ConfigurationLoader.isLoopback(String(host))
    }
}
