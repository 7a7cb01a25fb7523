import Logging
public import Runtime
import Synchronization
import Transport

extension PulsecastDaemon {
    /// Applies changes that need no restart, and logs those that do.
    ///
    /// A configuration with errors changes nothing. The certificate's files are always read again,
    /// because they change without the configuration.
    ///
    /// - Parameters:
    ///   - running: Effective values that the daemon runs with.
    ///   - reread: Reads the configuration again; its errors are logged.
    /// - Returns: Effective values from now on.
    public func reload(
        _ running: [EffectiveValue], reread: () throws -> LoadedConfiguration
    ) -> [EffectiveValue] {
        notifier.send(.reloading(monotonicMicroseconds: WallClock.monotonicMicroseconds()))
        defer { notifier.send(.ready, .status("listening")) }
        var outcome = running
        do {
            let fresh = try reread()
            let change = ConfigurationChange(from: running, to: fresh.effective)
            take(fresh.configuration)
            outcome = change.applied(to: running, from: fresh.effective)
            tell(change)
        } catch {
            logger.error("the configuration stays as it was: \(error)")
        }
        reloadCertificate()
        return outcome
    }

    /// Applies the settings that the schema marks as reloadable.
    private func take(_ fresh: Configuration) {
        let (day, size) = settings.withLock { settings in
            settings.log.retentionSeconds = fresh.log.retentionSeconds
            settings.log.retentionBytes = fresh.log.retentionBytes
            settings.certificateFile = fresh.certificateFile
            settings.privateKeyFile = fresh.privateKeyFile
            settings.logLevel = fresh.logLevel
            return (settings.ingest.deviceMebibytesPerDay, settings.log.retentionBytes)
        }
        pipeline.limitLog(mebibytesPerDay: day, retentionBytes: size)
        // The level belongs to the handler, and all copies of it share it.
        var logger = logger
        logger.logLevel = Logger.Level(rawValue: fresh.logLevel) ?? .info
    }

    private func tell(_ change: ConfigurationChange) {
        logger.log(
            .reloaded, .notice, "reloaded",
            ["applied": "\(change.applied.joined(separator: " "))"])
        guard !change.waiting.isEmpty else { return }
        logger.log(
            .restartNeeded, .warning,
            "a restart is needed for \(change.waiting.joined(separator: ", "))",
            ["waiting": "\(change.waiting.joined(separator: " "))"])
    }

    /// Reads the certificate's files again; new connections get the certificate.
    func reloadCertificate() {
        guard let identity else { return }
        let files = Self.certificateFiles(settings.withLock { $0 }, environment: environment)
        do {
            try identity.reload(certificatePath: files.certificate, keyPath: files.key)
            logger.log(.certificateRead, .notice, "the certificate was read again")
        } catch {
            logger.error("the certificate stays as it was: \(error)")
        }
    }
}
