import Foundation
import Registry
import SensorModel

/// A registry in a temporary folder that is removed with the test.
final class Scratch {
    let folder: String
    private(set) var store: RegistryStore

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/pulsecast-\(UUID().uuidString)"
        store = try RegistryStore(folder: folder)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    var path: String { folder + "/" + RegistryStore.fileName }

    func reopen() throws {
        store = try RegistryStore(folder: folder)
    }

    static let now = Timestamp(microseconds: 1_763_700_000_123_456)

    static func hash(_ seed: UInt8) -> SecretHash {
        SecretHash(bytes: Array(repeating: seed, count: 32)) ?? .zero
    }

    @discardableResult
    func addDevice(_ name: String, hash: UInt8 = 1) throws -> Device {
        try store.addDevice(
            name: name, tokenHash: Self.hash(hash), at: Self.now, privacySalt: .max - 5,
            sealProofKey: { [1, 2, UInt8($0.rawValue)] })
    }

    @discardableResult
    func addShare(
        _ name: String, hash: UInt8, target: Share.Target = .device(DeviceID(rawValue: 1))
    ) throws -> Share {
        let draft = Share(
            key: ShareKey(rawValue: 0), name: name, idHash: Self.hash(hash), target: target,
            scope: [.heartRate, .location], delaySeconds: 300,
            expiresAt: Self.now.advanced(bySeconds: 3600), maxViewers: 7, label: "Anna",
            publicName: PublicName("anna"),
            createdAt: Self.now)
        return try store.addShare(draft) { [9, UInt8($0.rawValue)] }
    }
}
