public import SensorModel

/// Why the registry did not perform a request.
public enum RegistryError: Error, Hashable, Sendable {
    case nameTaken(String)
    case unknownDevice(String)
    case unknownShare(String)
    case unknownZone(String)
    /// More zones than a device may have; the value is the maximum.
    case zonesFull(Int)
    /// More notes than a device may have; the value is the most bytes.
    case notesFull(bytes: Int)
    case unknownReceiver(String)
    /// More receivers than a device may have; the value is the maximum.
    case receiversFull(Int)
    case unknownTarget(String)
    /// More targets of deliveries than a device may have; the value is the maximum.
    case targetsFull(Int)
    /// More deliveries to a target wait than may; the value is the maximum.
    case deliveriesFull(Int)
    /// Written by a later version of the daemon.
    case schemaIsNewer(found: Int, known: Int)
    case folderNotCreated(path: String)
    /// A value that no version of the daemon writes.
    case damagedRow(table: String)
    /// The disk takes no change now. Nothing was changed, and stored data can still be read.
    case notWritable(DiskTrouble)
    /// The disk can be neither read nor written, so the valid tokens and shares are unknown.
    case unreadable(DiskTrouble)
    /// The nodes of the cluster cannot keep a change now; the value says why.
    case notReplicated(String)
    /// SQLite's result code and message.
    case database(code: Int, reason: String)
}

extension RegistryError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .nameTaken(let name):
            "the name \(name) is taken: choose another one; upper and lower case are the same"
        case .unknownDevice(let name): "there is no device \(name): see `pulsecast device list`"
        case .unknownShare(let name): "there is no share \(name): see `pulsecast share list`"
        case .unknownZone(let name): "there is no privacy zone \(name)"
        case .zonesFull(let count): "a device has at most \(count) privacy zones"
        case .notesFull(let bytes):
            "a device's notes take at most \(bytes) bytes: shorten or remove others"
        case .unknownReceiver(let name):
            "there is no receiver \(name): see `pulsecast receiver list`"
        case .receiversFull(let count): "a device has at most \(count) receivers: remove one"
        case .unknownTarget(let name):
            "there is no target \(name): see `pulsecast delivery targets`"
        case .targetsFull(let count): "a device has at most \(count) targets: remove one"
        case .deliveriesFull(let count):
            "\(count) deliveries wait for the target already: see `pulsecast delivery list`"
        case .schemaIsNewer(let found, let known):
            "the registry has version \(found) and this daemon knows \(known): "
                + "install the newer daemon again, or restore the registry of this one"
        case .folderNotCreated(let path):
            "the folder \(path) cannot be made: check who owns the one above it"
        case .damagedRow(let table):
            "a row of \(table) in the registry is damaged: restore registry.sqlite from a backup"
        case .notWritable(let trouble):
            "devices and shares cannot be changed: \(trouble); \(trouble.advice)"
        case .unreadable(let trouble):
            "the registry cannot be read: \(trouble); \(trouble.advice)"
        case .notReplicated(let reason):
            "devices and shares cannot be changed: \(reason); try again in some seconds"
        case .database(let code, let reason):
            "the registry failed (SQLite \(code), \(reason)): check the disk's space and health"
        }
    }
}
