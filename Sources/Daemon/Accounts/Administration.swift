import Logging
import Registry
import Secrets
import SegmentLog
import SensorModel
import Sessions
import Sharing

/// What an owner can do: each act changes the registry, the memory of the doors, and what is open.
struct Administration: Sendable {
    let accounts: Accounts
    let log: SegmentLog
    let mailbox: PipelineMailbox
    let erasures: ErasureQueue
    let reader: ShareReader
    let catalog: SessionCatalog
    let results: SessionResults
    let playbacks: Playbacks
    let clock: @Sendable () -> Timestamp
    let logger: Logger

    // MARK: Devices

    /// - Returns: The device and its token, which is not kept.
    func addDevice(named name: String) throws -> (device: Device, token: String) {
        guard ShareDirectory.isName(name) else { throw AdministrationError.deviceName(name) }
        var generator = SystemRandomNumberGenerator()
        let token = DeviceToken(using: &generator)
        let device = try accounts.registry.addDevice(
            name: name, tokenHash: token.hash, at: clock(),
            privacySalt: generator.next(), above: catalog.highestDevice,
            sealProofKey: { accounts.masterKey.seal(token.proofKey.bytes, for: .proofKey($0)) })
        accounts.withState { $0.put(device) }
        logger.log(
            .deviceChanged, .notice, "device added", ["device": "\(device.name)"])
        return (device, token.text)
    }

    func rotateDevice(named name: String) throws -> (device: Device, token: String) {
        var device = try known(name)
        var generator = SystemRandomNumberGenerator()
        let token = DeviceToken(using: &generator)
        let sealed = accounts.masterKey.seal(token.proofKey.bytes, for: .proofKey(device.id))
        try accounts.registry.rotateDevice(
            device.id, tokenHash: token.hash, sealedProofKey: sealed)
        device.tokenHash = token.hash
        device.sealedProofKey = sealed
        device.revokedAt = nil
        accounts.withState { $0.put(device) }
        disconnect(device.id)
        return (device, token.text)
    }

    func revokeDevice(named name: String) throws {
        var device = try known(name)
        let now = clock()
        try accounts.registry.revokeDevice(device.id, at: now)
        device.revokedAt = now
        accounts.withState { $0.put(device) }
        disconnect(device.id)
        logger.log(
            .deviceChanged, .notice, "device revoked", ["device": "\(device.name)"])
    }

    /// Erases the device, its shares and every byte of its sessions.
    func deleteDevice(named name: String) async throws -> (sessions: Int, bytes: Int) {
        try revokeDevice(named: name)
        let device = try known(name)
        for share in accounts.withState({ $0.shares.shares(of: device.id) }) {
            try revokeShare(share, telling: .unknownShare)
        }
        // What is on its way must not begin a session behind the erasure.
        _ = await mailbox.ask { $0.expel(device.id) }
        let sessions = catalog.sessionIDs(of: .device(device.id))
        let erased = try await erase(sessions)
        try accounts.registry.deleteDevice(device.id)
        accounts.withState { state in
            state.remove(device.id)
            for share in state.shares.shares(of: device.id) {
                state.shares.remove(share.key)
                state.sealedIDs[share.key] = nil
            }
            state.proofs.forget(device.id)
            state.cheersKept.forget(device.id)
        }
        logger.log(
            .deviceChanged, .notice, "device deleted", ["device": "\(device.name)"])
        return (sessions.count, erased)
    }

    /// - Parameters:
    ///   - profile: From now on.
    ///   - zonesFrom: From when its zones hold; `nil`: from now, or always where none were set.
    ///   - device: As it is so far.
    /// - Returns: The device as it is now.
    /// - Throws: ``RegistryError``
    @discardableResult
    func setProfile(
        _ profile: RunnerProfile, zonesFrom: Timestamp? = nil, of device: Device
    ) throws -> Device {
        var changed = device
        let (before, after) = (device.profile.zoneSettings, profile.zoneSettings)
        // Who says for the first time what the heart can do has not changed: it holds for runs of
        // last month, too, that are sent tomorrow.
        let isFirst = before == RunnerProfile().zoneSettings && device.zoneHistory.past.isEmpty
        if zonesFrom != nil || before != after && !isFirst {
            changed.zoneHistory.change(from: before, to: after, at: zonesFrom ?? clock())
        }
        changed.profile = profile
        try accounts.registry.setProfile(profile, changed.zoneHistory, of: device.id)
        accounts.withState { [changed] in $0.put(changed) }
        mailbox.post { $0.flow.profileChanged(of: device.id) }
        return changed
    }

    /// - Parameters:
    ///   - stored: As it was sent; `nil`: none any more.
    ///   - course: The same, to be followed.
    ///   - device: Whose.
    /// - Throws: ``RegistryError``
    func setCourse(_ stored: StoredCourse?, _ course: Course?, of device: Device) throws {
        try accounts.registry.setCourse(stored, of: device.id)
        accounts.withState { $0.courses[device.id] = course }
        mailbox.post { $0.flow.courseChanged(of: device.id, to: course) }
    }

    func setPrivacy(_ settings: PrivacySettings, of device: Device) throws {
        try accounts.registry.setPrivacy(settings, of: device.id)
        let changed = try accounts.registry.device(named: device.name)
        accounts.withState { $0.put(changed) }
        mailbox.post { $0.privacyChanged(of: device.id) }
        // What is played of it is read again, by the new settings.
        let shares = accounts.withState { $0.shares.shares(of: device.id) }
        playbacks.restart(Set(shares.map(\.key)))
    }

    // MARK: Sessions

    /// Erases a session from the log.
    ///
    /// - Returns: Bytes erased.
    func deleteSession(_ session: SessionID) async throws -> Int {
        guard catalog.summary(of: session) != nil else {
            throw AdministrationError.unknownSession(session)
        }
        return try await erase([session])
    }

    /// Erases the sessions of devices that are not registered.
    ///
    /// - Returns: How many, and their bytes.
    func deleteOrphans() async throws -> (sessions: Int, bytes: Int) {
        let orphans = catalog.sessionIDs(of: orphanOwner)
        return (orphans.count, try await erase(orphans))
    }

    /// Sessions of devices that are not registered are nobody's: of a registry that was lost.
    var orphanOwner: SessionCatalog.Owner {
        .nobody(registered: Set(accounts.devices.map(\.id)))
    }

    /// The same for the device's owner, who may not have the log rewritten without end.
    ///
    /// - Throws: ``AdministrationError/tooManyDeletions(retryAfterSeconds:)``
    func deleteSession(_ session: SessionID, for owner: DeviceID) async throws -> Int {
        let now = clock()
        let wait = accounts.withState { $0.deletions.admit(owner, at: now) }
        if let wait { throw AdministrationError.tooManyDeletions(retryAfterSeconds: wait) }
        return try await deleteSession(session)
    }

    private func erase(_ sessions: Set<SessionID>) async throws -> Int {
        guard !sessions.isEmpty else { return 0 }
        _ = await mailbox.ask { core in
            core.erasing.formUnion(sessions)
            for session in sessions { core.forget(session) }
            core.flush()
        }
        defer { mailbox.post { $0.erasing.subtract(sessions) } }
        let result = await erasures.run(sessions)
        // Some of it may be gone where the rest failed.
        catalog.erased(sessions)
        let bytes = try result.get()
        reader.indexes.forget(sessions)
        try results.delete(Array(sessions))
        logger.log(
            .erased, .notice, "sessions erased",
            ["sessions": "\(sessions.count)", "bytes": "\(bytes)"])
        return bytes
    }

    func known(_ name: String) throws -> Device {
        guard let device = accounts.device(named: name) else {
            throw RegistryError.unknownDevice(name)
        }
        return device
    }

    private func disconnect(_ device: DeviceID) {
        mailbox.post { $0.disconnect(device, code: .tokenRefused) }
    }
}

/// Why an administrator's wish cannot be granted.
enum AdministrationError: Error, Hashable, Sendable {
    case deviceName(String)
    case unknownSession(SessionID)
    case tooManyDeletions(retryAfterSeconds: Int)
    case badField(name: String, allowed: String)
    case tooManyCodes
}

extension AdministrationError: CustomStringConvertible {
    var description: String {
        switch self {
        case .deviceName(let name):
            "\(name) cannot be a device's name: use 1 to 64 letters, digits, spaces, - _ or ."
        case .unknownSession(let session):
            "there is no session \(session): see pulsecast session list"
        case .tooManyDeletions(let seconds):
            "too many sessions are deleted: try again in \(seconds) s"
        case .badField(let name, let allowed): "\(name) is not right: allowed is \(allowed)"
        case .tooManyCodes: "too many short codes are out: wait until some have expired"
        }
    }
}
