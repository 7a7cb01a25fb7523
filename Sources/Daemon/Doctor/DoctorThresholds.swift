import Runtime

/// Judges measured values against thresholds; pure, so that tests cover every threshold.
enum DoctorThresholds {
    static func diskSpace(freeBytes: Int) -> Finding {
        let found = "\(freeBytes >> 20) MiB free"
        if freeBytes < 256 << 20 {
            return .problem(
                "disk space", found,
                do: "make room: at 256 MiB the log is close to failing, see the runbook")
        }
        if freeBytes < 2 << 30 {
            return .warning(
                "disk space", found,
                do: "bound the log with log.retention_age; an hour of a watch takes up to 40 MB")
        }
        return .fine("disk space", found)
    }

    /// - Parameter milliseconds: Median of writing 4 KiB and syncing them.
    /// - Returns: The finding.
    static func diskSpeed(milliseconds: Double) -> Finding {
        let found = "\(Int((milliseconds * 10).rounded()) / 10) ms for a synced write"
        guard milliseconds > 50 else { return .fine("disk speed", found) }
        return .warning(
            "disk speed", found,
            do: "devices wait that long for an ack: put state.directory on a faster disk, or set"
                + " log.durability to interval")
    }

    /// - Parameters:
    ///   - expiry: Seconds since 1970.
    ///   - now: Current time, seconds since 1970.
    /// - Returns: The finding.
    static func certificate(expiry: Int, now: Int) -> Finding {
        let days = (expiry - now) / 86_400
        if expiry <= now {
            return .problem(
                "certificate", "ended \(-days) day(s) ago",
                do: "renew it, then systemctl reload pulsecast")
        }
        guard days < 21 else { return .fine("certificate", "ends in \(days) days") }
        return .warning(
            "certificate", "ends in \(days) day(s)",
            do: "renew it, then systemctl reload pulsecast; see why it was not renewed by itself")
    }

    /// The figures are in Performance.md.
    ///
    /// - Parameter rsaBits: Bits of the certificate's RSA key; `nil`: another key.
    /// - Returns: The finding; `nil`: the key is cheap.
    static func key(rsaBits: Int?) -> Finding? {
        guard let rsaBits else { return nil }
        let found = "RSA with \(rsaBits) bits"
        guard rsaBits > 2048 else {
            return .fine(
                "certificate key",
                found + ": to connect a viewer costs twice as much as with P-256")
        }
        return .warning(
            "certificate key",
            found + ": to connect a viewer costs up to nine times as much as with P-256",
            do: "ask for an ECDSA key on P-256: many viewers at once wait for the signatures")
    }

    /// - Parameters:
    ///   - descriptors: Hard limit of open files, which a daemon uses.
    ///   - connections: limits.connections.
    /// - Returns: The finding.
    static func fileLimit(descriptors: Int, connections: Int) -> Finding {
        let found = "\(descriptors) open files allowed here, \(connections) connections configured"
        let needed = connections + OpenFiles.reserved
        guard descriptors < needed else { return .fine("file limit", found) }
        return .warning(
            "file limit", found,
            do: "ulimit -n \(needed) where it is started, or lower"
                + " limits.connections; the systemd unit allows 65536")
    }

    /// - Parameters:
    ///   - listener: Its name in the configuration.
    ///   - place: Host and port.
    ///   - isFree: Whether a listener could just be opened there.
    ///   - isRunning: Whether a daemon answers on this machine.
    /// - Returns: The finding.
    static func port(_ listener: String, at place: String, isFree: Bool, isRunning: Bool) -> Finding
    {
        if isFree { return .fine("port", "\(listener): \(place) is free") }
        if isRunning { return .fine("port", "\(listener): \(place), and Pulsecast runs here") }
        return .problem(
            "port", "\(listener): \(place) is taken, or no address of this machine",
            do: "see who has it with ss -ltnp, or set \(listener).host and \(listener).port")
    }

    /// - Parameter budget: Budget of the configuration.
    /// - Returns: The finding.
    static func memory(_ budget: MemoryBudget) -> Finding {
        let largest = budget.rows.max { $0.bytes < $1.bytes }
        let found = "with every limit reached at once \(budget.bytes >> 20) MiB"
        guard budget.bytes > MemoryBudget.bytesMax else { return .fine("memory", found) }
        return .warning(
            "memory",
            "\(found), of which \((largest?.bytes ?? 0) >> 20) are \(largest?.name ?? "")",
            do: "lower limits.connections, or raise MemoryMax of the service to match")
    }

    /// - Parameters:
    ///   - loops: Event loops of the configuration.
    ///   - processors: Processors that this process may use.
    /// - Returns: The finding.
    static func eventLoops(_ loops: Int, processors: Int) -> Finding {
        let found = "\(loops); processors that can be used: \(processors)"
        guard loops > processors else { return .fine("event loops", found) }
        return .warning(
            "event loops", found,
            do: "lower limits.event_loops: loops without a processor of their own add no speed")
    }

    /// - Parameters:
    ///   - year: Year of the wall clock.
    ///   - isSynchronized: Whether the clock is synchronized; `nil`: unknown.
    /// - Returns: The finding.
    static func clock(year: Int, isSynchronized: Bool?) -> Finding {
        if year < 2025 {
            return .problem(
                "clock", "it is \(year) here", do: "set the clock: timedatectl set-ntp true")
        }
        switch isSynchronized {
        case true: return .fine("clock", "synchronized")
        case false:
            return .warning(
                "clock", "not synchronized",
                do: "timedatectl set-ntp true: hellos with proofs need clocks within seconds")
        default: return .fine("clock", "plausible; nobody here says whether it is synchronized")
        }
    }

    /// - Parameters:
    ///   - path: File or folder that only its owner may read.
    ///   - mode: Its permissions; `nil`: it does not exist yet.
    /// - Returns: The finding.
    static func privacy(of path: String, mode: Int?) -> Finding {
        guard let mode else { return .fine("permissions", "\(path) is not there yet") }
        let text = String(mode, radix: 8)
        guard mode & 0o077 != 0 else { return .fine("permissions", "\(path) has \(text)") }
        return .problem(
            "permissions", "\(path) has \(text): others can read it", do: "chmod go= \(path)")
    }

    /// - Parameter agreement: The daemon's comparison.
    /// - Returns: Each disagreement, with the command that resolves it.
    static func agreement(_ agreement: Agreement) -> [Finding] {
        let check = "registry and log"
        var findings: [Finding] = []
        if !agreement.isSameLog {
            findings.append(
                .warning(
                    check,
                    "the registry was used with a log of epoch \(agreement.registryEpoch ?? 0),"
                        + " this one has \(agreement.logEpoch)",
                    do: "put the other one back with pulsecast restore; or, if they belong"
                        + " together from now on, pulsecast doctor --accept-log"))
        }
        for orphans in agreement.orphans {
            findings.append(
                .warning(
                    check,
                    "\(orphans.sessions) session(s) of device number \(orphans.number), which is"
                        + " not registered: only you can see them",
                    do: "put its registry back with pulsecast restore; or look with pulsecast"
                        + " session list --orphans and erase with pulsecast session delete"
                        + " --orphans"))
        }
        for older in agreement.older {
            findings.append(
                .warning(
                    check,
                    "\(older.sessions) session(s) of \(older.device) are older than the device:"
                        + " they may be somebody else's",
                    do: "look with pulsecast session list --device \(older.device) and erase what"
                        + " is not its own with pulsecast session delete ID"))
        }
        if agreement.missing > 0 {
            findings.append(
                .warning(
                    check,
                    "the log lacks \(agreement.missing) session(s), or their ends, that the"
                        + " registry knows: it is older, or lost its newest segments",
                    do: "put the newer one back with pulsecast restore; or, if they belong"
                        + " together from now on, pulsecast doctor --accept-log"))
        }
        return findings.isEmpty ? [.fine(check, "they agree")] : findings
    }
}
