package import Registry
import Secrets
package import SensorModel

/// Whom owners want told of alerts. Only devices and times are in memory: the rest is a secret, and
/// seldom needed.
extension Accounts {
    /// Seconds of silence of which a receiver is told; infinity: none is.
    static func silence(_ leastMinutes: Int?) -> Double {
        leastMinutes.map { Double($0) * 60 } ?? .infinity
    }

    package func hasReceivers(_ device: DeviceID) -> Bool {
        withState { $0.receiverSilence[device] != nil }
    }

    /// Blocks on the disk.
    ///
    /// - Returns: The device's receivers by name.
    /// - Throws: ``RegistryError``
    package func receivers(of device: DeviceID) throws(RegistryError) -> [Receiver] {
        try registry.receivers(of: device) { [masterKey] in
            try? masterKey.open($0, for: .receiver(device))
        }
    }

    /// Adds a receiver, or replaces the one of the same name. Must run inside `changing`.
    ///
    /// - Throws: ``RegistryError``
    package func putReceiver(_ receiver: Receiver, of device: DeviceID) throws(RegistryError) {
        try registry.putReceiver(receiver, of: device) { [masterKey] in
            masterKey.seal($0, for: .receiver(device))
        }
        try noteReceivers(of: device)
    }

    /// Must run inside `changing`.
    ///
    /// - Throws: ``RegistryError/unknownReceiver(_:)``
    package func removeReceiver(named name: String, of device: DeviceID) throws(RegistryError) {
        try registry.removeReceiver(named: name, of: device)
        try noteReceivers(of: device)
    }

    private func noteReceivers(of device: DeviceID) throws(RegistryError) {
        let receivers = try receivers(of: device)
        let shares = try registry.receiverShares()
        withState {
            $0.receiverShares = shares
            $0.receiverSilence[device] =
                receivers.isEmpty
                ? nil : Self.silence(receivers.compactMap(\.silentMinutes).min())
        }
    }
}
