package import Registry
import Secrets
package import SensorModel

/// Where owners want their finished runs delivered. Only the devices are in memory: the rest is a
/// secret, and seldom needed.
extension Accounts {
    package func hasTargets(_ device: DeviceID) -> Bool {
        withState { $0.devicesWithTargets.contains(device) }
    }

    /// Blocks on the disk.
    ///
    /// - Returns: The device's targets by name.
    /// - Throws: ``RegistryError``
    package func targets(of device: DeviceID) throws(RegistryError) -> [DeliveryTarget] {
        try registry.targets(of: device) { [masterKey] in
            try? masterKey.open($0, for: .deliveryTarget(device))
        }
    }

    /// Adds a target, or changes the one of the same name. Must run inside `changing`.
    ///
    /// - Throws: ``RegistryError``
    package func putTarget(
        _ target: DeliveryTarget, of device: DeviceID
    ) throws(RegistryError) {
        try registry.putTarget(target, of: device) { [masterKey] in
            masterKey.seal($0, for: .deliveryTarget(device))
        }
        withState { _ = $0.devicesWithTargets.insert(device) }
    }

    /// Must run inside `changing`.
    ///
    /// - Throws: ``RegistryError/unknownTarget(_:)``
    package func removeTarget(named name: String, of device: DeviceID) throws(RegistryError) {
        try registry.removeTarget(named: name, of: device)
        let isLast = try targets(of: device).isEmpty
        withState { state in
            if isLast { state.devicesWithTargets.remove(device) }
        }
    }
}
