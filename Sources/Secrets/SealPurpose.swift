public import SensorModel

/// The kind of a sealed secret and the row it belongs to. Both are authenticated by the seal: a
/// secret copied into another row does not open there.
public enum SealPurpose: Hashable, Sendable {
    case shareID(ShareKey)
    case proofKey(DeviceID)
    case shortCode(ShareKey)
    case receiver(DeviceID)
    case alert(DeviceID)
    case deliveryTarget(DeviceID)
    case invitation

    var associatedData: [UInt8] { Array("pulsecast \(description)".utf8) }
}

extension SealPurpose: CustomStringConvertible {
    public var description: String {
        switch self {
        case .shareID(let key): "the ID of share \(key.rawValue)"
        case .proofKey(let device): "the proof key of device \(device.rawValue)"
        case .shortCode(let key): "a short code of share \(key.rawValue)"
        case .receiver(let device): "a receiver of device \(device.rawValue)"
        case .alert(let device): "an alert of device \(device.rawValue)"
        case .deliveryTarget(let device): "a target of device \(device.rawValue)"
        case .invitation: "an invitation to a group"
        }
    }
}
