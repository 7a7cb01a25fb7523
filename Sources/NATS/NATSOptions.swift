#if NATS
    import CNATS
    import Glibc

    /// The settings as libnats takes them.
    final class NATSOptions {
        /// A server that hangs is left after this and the next ping: 3 s.
        private static let pingMilliseconds: Int64 = 1000
        private static let unansweredPingsMax: Int32 = 2
        private static let writeMilliseconds: Int64 = 2000
        private static let retryMilliseconds: Int64 = 100
        /// Longest wait for all servers together, and for one.
        private static let connectMilliseconds: (all: Int64, one: Int64) = (4000, 1500)

        let handle: Handle

        init(_ settings: NATSSettings) throws(NATSStreamError) {
            try settings.check()
            var options: OpaquePointer?
            guard unsafe natsOptions_Create(&options) == NATS_OK else {
                throw .setting("libnats does not start")
            }
            handle = unsafe Handle(options)
            try setServers(settings)
            try setPatience(servers: settings.urls.count)
            try setCredentials(settings.credentials)
            guard settings.usesTLS else { return }
            try check(unsafe natsOptions_SetSecure(options, true), "TLS")
            if let file = settings.authoritiesFile {
                try check(
                    unsafe natsOptions_LoadCATrustedCertificates(options, file),
                    "the authorities in \(file)")
            }
        }

        deinit {
            unsafe natsOptions_Destroy(handle.pointer)
        }

        private func setServers(_ settings: NATSSettings) throws(NATSStreamError) {
            let options = unsafe handle.pointer
            let copies = unsafe settings.urls.map { unsafe strdup($0) }
            defer { unsafe copies.forEach { unsafe free($0) } }
            var urls = unsafe copies.map { unsafe UnsafePointer($0) }
            try check(
                unsafe natsOptions_SetServers(options, &urls, Int32(urls.count)),
                "the servers \(settings.urls.joined(separator: ", "))")
            try check(
                unsafe natsOptions_SetName(options, settings.clientName), "the client's name")
            // Servers tell addresses at which they reach each other; a client may not reach those.
            try check(unsafe natsOptions_SetIgnoreDiscoveredServers(options, true), "the servers")
        }

        private func setPatience(servers: Int) throws(NATSStreamError) {
            let options = unsafe handle.pointer
            let one = min(
                Self.connectMilliseconds.one, Self.connectMilliseconds.all / Int64(servers))
            let statuses = unsafe [
                natsOptions_SetTimeout(options, max(one, 1)),
                natsOptions_SetPingInterval(options, Self.pingMilliseconds),
                natsOptions_SetMaxPingsOut(options, Self.unansweredPingsMax),
                natsOptions_SetWriteDeadline(options, Self.writeMilliseconds),
                natsOptions_SetMaxReconnect(options, -1),
                natsOptions_SetReconnectWait(options, Self.retryMilliseconds),
                natsOptions_SetReconnectJitter(
                    options, Self.retryMilliseconds, Self.retryMilliseconds),
                natsOptions_SetFailRequestsOnDisconnect(options, true),
                natsOptions_SetSendAsap(options, true),
            ]
            for status in statuses { try check(status, "the waits") }
        }

        private func setCredentials(
            _ credentials: NATSSettings.Credentials
        ) throws(NATSStreamError) {
            let options = unsafe handle.pointer
            switch credentials {
            case .none: return
            case .user(let user, let password):
                try check(
                    unsafe natsOptions_SetUserInfo(options, user, password), "user and password")
            case .token(let token):
                try check(unsafe natsOptions_SetToken(options, token), "the token")
            case .file(let path):
                try check(
                    unsafe natsOptions_SetUserCredentialsFromFiles(options, path, nil),
                    "the credentials in \(path)")
            }
        }

        private func check(_ status: natsStatus, _ what: String) throws(NATSStreamError) {
            guard status != NATS_OK else { return }
            throw .setting("\(what): \(NATSConnection.text(of: status))")
        }
    }
#endif
