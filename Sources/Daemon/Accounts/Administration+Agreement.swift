import Logging
import Registry
import SegmentLog
import SensorModel

/// Where registry and log disagree: after one of them was put back, or lost.
struct Agreement: Codable, Hashable, Sendable {
    struct Orphans: Codable, Hashable, Sendable {
        /// A number that no registered device has.
        var number: UInt32
        var sessions: Int
    }

    struct OlderSessions: Codable, Hashable, Sendable {
        var device: String
        /// That arrived before the device was added.
        var sessions: Int
    }

    var logEpoch: UInt32
    /// Of the log that the registry was used with.
    var registryEpoch: UInt32?
    var orphans: [Orphans]
    var older: [OlderSessions]

    var isSameLog: Bool { registryEpoch == nil || registryEpoch == logEpoch }
}

extension Administration {
    /// A clock that was set back is no sign of another device's sessions.
    private static let clockSeconds = 3600.0

    /// - Throws: ``RegistryError``
    func agreement() throws(RegistryError) -> Agreement {
        let devices = accounts.devices
        let registered = Set(devices.map(\.id))
        let orphans = catalog.counts.filter { !registered.contains($0.key) }
            .map { Agreement.Orphans(number: $0.key.rawValue, sessions: $0.value) }
            .sorted { $0.number < $1.number }
        let older = devices.compactMap { device -> Agreement.OlderSessions? in
            let before = device.createdAt.advanced(bySeconds: -Self.clockSeconds)
            let count = catalog.count(of: device.id, arrivedBefore: before)
            return count == 0 ? nil : .init(device: device.name, sessions: count)
        }
        return Agreement(
            logEpoch: log.epoch, registryEpoch: try accounts.registry.logEpoch(),
            orphans: orphans, older: older)
    }

    /// The owner says that this log and this registry belong together from now on.
    func acceptLog() throws(RegistryError) {
        try accounts.registry.setLogEpoch(log.epoch)
        logger.notice("the log is accepted as the registry's")
    }

    /// At start: numbers of devices that the log knows are not given again, and what disagrees is
    /// told.
    func settleAgreement() throws(RegistryError) {
        if let highest = catalog.highestDevice {
            try accounts.registry.reserveDeviceNumbers(through: highest)
        }
        let agreement = try agreement()
        if agreement.registryEpoch == nil { try accounts.registry.setLogEpoch(log.epoch) }
        if !agreement.isSameLog {
            logger.log(
                .registryDisagrees, .warning,
                "the log is not the one that the registry was used with; see pulsecast doctor",
                [
                    "logEpoch": "\(agreement.logEpoch)",
                    "registryEpoch": "\(agreement.registryEpoch ?? 0)",
                ])
        }
        let sessions = agreement.orphans.reduce(0) { $0 + $1.sessions }
        guard sessions > 0 else { return }
        logger.log(
            .registryDisagrees, .warning,
            "the log has sessions of devices that are not registered; see pulsecast doctor",
            ["sessions": "\(sessions)", "devices": "\(agreement.orphans.count)"])
    }
}
