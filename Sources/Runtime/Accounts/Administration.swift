package import Logging
import Processing
package import Registry
import Secrets
package import SegmentLog
package import SensorModel
import Sessions
import Sharing

/// The owner's operations. Each changes the registry, the listeners' memory, and open connections
/// and streams.
package struct Administration: Sendable {
    package let accounts: Accounts
    package let log: SegmentLog
    package let mailbox: PipelineMailbox
    package let erasures: ErasureQueue
    package let reader: ShareReader
    package let catalog: SessionCatalog
    package let results: SessionResults
    package let playbacks: Playbacks
    package let changes = ChangeQueue()
    /// Called with the sessions to erase, once the pipeline produces nothing more of them.
    private let erasing: @Sendable (Set<SessionID>) -> Void
    package let clock: @Sendable () -> Timestamp
    package let logger: Logger

    package init(
        accounts: Accounts, log: SegmentLog, mailbox: PipelineMailbox, erasures: ErasureQueue,
        reader: ShareReader, catalog: SessionCatalog, results: SessionResults, playbacks: Playbacks,
        clock: @escaping @Sendable () -> Timestamp, logger: Logger,
        erasing: @escaping @Sendable (Set<SessionID>) -> Void
    ) {
        self.accounts = accounts
        self.erasing = erasing
        self.log = log
        self.mailbox = mailbox
        self.erasures = erasures
        self.reader = reader
        self.catalog = catalog
        self.results = results
        self.playbacks = playbacks
        self.clock = clock
        self.logger = logger
    }

    // MARK: Devices

    /// - Returns: The device and its token, which is not stored.
    package func addDevice(named name: String) throws -> (device: Device, token: String) {
        guard ShareDirectory.isName(name) else { throw AdministrationError.deviceName(name) }
        var generator = SystemRandomNumberGenerator()
        let token = DeviceToken(using: &generator)
        let salt = generator.next()
        let device = try accounts.changing {
            let device = try accounts.registry.addDevice(
                name: name, tokenHash: token.hash, at: clock(),
                privacySalt: salt, above: catalog.highestDevice,
                sealProofKey: { accounts.masterKey.seal(token.proofKey.bytes, for: .proofKey($0)) })
            accounts.withState { $0.put(device) }
            return device
        }
        logger.log(
            .deviceChanged, .notice, "device added", ["device": "\(device.name)"])
        return (device, token.text)
    }

    package func rotateDevice(named name: String) throws -> (device: Device, token: String) {
        var generator = SystemRandomNumberGenerator()
        let token = DeviceToken(using: &generator)
        let device = try accounts.changing {
            var device = try known(name)
            let sealed = accounts.masterKey.seal(token.proofKey.bytes, for: .proofKey(device.id))
            try accounts.registry.rotateDevice(
                device.id, tokenHash: token.hash, sealedProofKey: sealed)
            device.tokenHash = token.hash
            device.sealedProofKey = sealed
            device.revokedAt = nil
            accounts.withState { [device] in $0.put(device) }
            disconnect(device.id)
            return device
        }
        return (device, token.text)
    }

    /// Revokes a device; its token is refused from now on, even if an error of the disk is thrown.
    ///
    /// - Throws: ``AdministrationError/revokedInMemory(_:)``, ``RegistryError``
    package func revokeDevice(named name: String) throws {
        try accounts.changing { try revoke(try known(name)) }.require()
    }

    /// Must run inside `Accounts.changing`.
    private func revoke(_ device: Device) throws -> Revocation.Kept {
        let now = clock()
        let kept = try accounts.registry.revoke(Revocation(of: device, at: now))
        var device = device
        device.revokedAt = device.revokedAt ?? now
        accounts.withState { [device] in $0.put(device) }
        disconnect(device.id)
        logger.log(
            .deviceChanged, .notice, "device revoked", ["device": "\(device.name)"])
        return kept
    }

    /// Erases the device, its shares and every byte of its sessions.
    ///
    /// - Throws: ``RegistryError``, also while the registry cannot be written: then device and
    ///   shares are revoked, and nothing is erased.
    package func deleteDevice(named name: String) async throws -> (sessions: Int, bytes: Int) {
        let device = try accounts.changing {
            let device = try known(name)
            _ = try revoke(device)
            let now = clock()
            let shares = accounts.withState { state in
                let groups = state.shares.groups(madeBy: device.id)
                let members = groups.flatMap { state.shares.feeds(of: $0, at: now) }
                return groups + members.filter { $0.device != device.id }
                    + state.shares.shares(of: device.id)
            }
            for share in shares { _ = try revoke(share, telling: .unknownShare) }
            return device
        }
        try accounts.registry.requireWritable()
        // Frames in flight must not begin a session after the erasure.
        _ = await mailbox.ask { $0.expel(device.id) }
        let sessions = catalog.sessionIDs(of: .device(device.id))
        let erased = try await erase(sessions)
        try accounts.changing {
            try accounts.registry.deleteDevice(device.id)
            accounts.withState { state in
                state.remove(device.id)
                let groups = state.shares.groups(madeBy: device.id)
                for share in groups + state.shares.shares(of: device.id) {
                    state.shares.remove(share.key)
                    state.sealedIDs[share.key] = nil
                }
                state.proofs.forget(device.id)
                state.cheersKept.forget(device.id)
                state.recentRuns[device.id] = nil
                state.receiverSilence[device.id] = nil
                state.devicesWithTargets.remove(device.id)
            }
        }
        logger.log(
            .deviceChanged, .notice, "device deleted", ["device": "\(device.name)"])
        return (sessions.count, erased)
    }

    /// - Parameters:
    ///   - device: Device whose profile changes.
    ///   - zonesFrom: Time from which its zones apply; `nil`: now, or always if it had no zones
    ///     before.
    ///   - change: Returns the new profile, given the current one.
    /// - Returns: The device after the change.
    /// - Throws: ``RegistryError``, ``AdministrationError/changedMeanwhile(_:)``; errors of
    ///   `change`.
    @discardableResult
    package func changeProfile(
        of device: Device, zonesFrom: (RunnerProfile) throws -> Timestamp? = { _ in nil },
        _ change: (RunnerProfile) throws -> RunnerProfile
    ) throws -> Device {
        try accounts.changing(device) { device in
            let profile = try change(device.profile)
            return try setProfile(profile, zonesFrom: try zonesFrom(profile), of: device)
        }
    }

    /// Must run inside `Accounts.changing`.
    private func setProfile(
        _ profile: RunnerProfile, zonesFrom: Timestamp?, of device: Device
    ) throws -> Device {
        var changed = device
        let (before, after) = (device.profile.zoneSettings, profile.zoneSettings)
        // The first zones of a device also apply to earlier runs that are uploaded later.
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
    ///   - stored: Course as stored; `nil`: removes it.
    ///   - course: The same course, parsed.
    ///   - device: Device that follows it.
    /// - Throws: ``RegistryError``, ``AdministrationError/tooManyCourses``
    package func setCourse(_ stored: StoredCourse?, _ course: Course?, of device: Device) throws {
        // The route is built on the request's thread; the pipeline only reads it.
        let route = course.map { CourseRoute($0) }
        try accounts.changing(device) { device in
            let others = accounts.withState { state in
                state.courses.reduce(0) { $0 + ($1.key == device.id ? 0 : $1.value.bytes) }
            }
            guard others + (route?.bytes ?? 0) <= Accounts.courseBytesMax else {
                throw AdministrationError.tooManyCourses
            }
            try accounts.registry.setCourse(stored, of: device.id)
            accounts.withState { $0.courses[device.id] = route }
            mailbox.post { $0.flow.courseChanged(of: device.id) }
        }
    }

    /// - Parameters:
    ///   - device: Device whose settings change.
    ///   - change: Returns the new settings, given the current ones.
    /// - Returns: The settings in force.
    /// - Throws: ``RegistryError``, ``AdministrationError/changedMeanwhile(_:)``; errors of
    ///   `change`.
    package func changePrivacy(
        of device: Device, _ change: (PrivacySettings) throws -> PrivacySettings
    ) throws -> PrivacySettings {
        try accounts.changing(device) { device in
            let settings = try change(device.privacy)
            guard settings != device.privacy else { return settings }
            try accounts.registry.setPrivacy(settings, of: device.id)
            var changed = device
            changed.privacy = try accounts.registry.device(named: device.name).privacy
            accounts.withState { [changed] in $0.put(changed) }
            mailbox.post { $0.privacyChanged(of: device.id) }
            restartPlaybacks(ofDevices: [device.id])
            reader.overviews.forget(of: device.id)
            return settings
        }
    }

    /// Restarts playbacks, so that they use new settings or leave out sessions that are being
    /// erased.
    private func restartPlaybacks(ofDevices devices: Set<DeviceID>) {
        let shares = accounts.withState { state in
            devices.flatMap { state.shares.shares(of: $0) }
        }
        playbacks.restart(Set(shares.map(\.key)))
    }

    // MARK: Sessions

    /// Erases a session from the log.
    ///
    /// - Returns: Bytes erased.
    package func deleteSession(_ session: SessionID) async throws -> Int {
        guard catalog.summary(of: session) != nil else {
            throw AdministrationError.unknownSession(session)
        }
        return try await erase([session])
    }

    /// Erases the sessions of devices that are not registered.
    ///
    /// - Returns: Number of sessions, and their bytes.
    package func deleteOrphans() async throws -> (sessions: Int, bytes: Int) {
        let orphans = catalog.sessionIDs(of: orphanOwner)
        return (orphans.count, try await erase(orphans))
    }

    /// Owner of sessions whose devices are not registered, for example after a lost registry.
    package var orphanOwner: SessionCatalog.Owner {
        .nobody(registered: Set(accounts.devices.map(\.id)))
    }

    /// Erases a session for the device's owner, limited in rate: each call may rewrite the log.
    ///
    /// - Throws: ``AdministrationError/tooManyDeletions(retryAfterSeconds:)``
    package func deleteSession(_ session: SessionID, for owner: DeviceID) async throws -> Int {
        let now = clock()
        let wait = accounts.withState {
            $0.deletions.admit(owner, at: now) ?? $0.deletionsOfDay.admit(owner, at: now)
        }
        if let wait { throw AdministrationError.tooManyDeletions(retryAfterSeconds: wait) }
        return try await deleteSession(session)
    }

    /// - Returns: Seconds until the owner of the device may delete a session; `nil`: now.
    package func secondsUntilDeletion(by owner: DeviceID) -> Int? {
        let now = clock()
        return accounts.withState {
            $0.deletions.secondsUntilFree(owner, at: now)
                ?? $0.deletionsOfDay.secondsUntilFree(owner, at: now)
        }
    }

    private func erase(_ sessions: Set<SessionID>) async throws -> Int {
        guard !sessions.isEmpty else { return 0 }
        var devices: [SessionID: DeviceID] = [:]
        for session in sessions { devices[session] = catalog.device(of: session) }
        let leaving = devices
        let newest = await mailbox.ask { $0.beginErasing(leaving) }
        defer {
            if let newest {
                log.whenWritten(through: newest, onFailure: .keepWaiting) { [mailbox] _ in
                    mailbox.post { $0.endErasing(leaving) }
                }
            }
        }
        erasing(sessions)
        restartPlaybacks(ofDevices: Set(leaving.values))
        let forgotten = results.beginRemoving(sessions)
        defer { results.endRemoving(sessions) }
        let result = await erasures.run(sessions)
        // A failed erasure may have removed a part.
        catalog.erased(sessions)
        reader.indexes.forget(sessions)
        reader.overviews.forget(sessions)
        for device in Set(leaving.values) {
            accounts.noteRecentRuns(results.recentRuns(of: device, at: clock()), of: device)
        }
        let bytes = try result.get()
        try forgotten.get()
        logger.log(
            .erased, .notice, "sessions erased",
            ["sessions": "\(sessions.count)", "bytes": "\(bytes)"])
        return bytes
    }

    package func known(_ name: String) throws -> Device {
        guard let device = accounts.device(named: name) else {
            throw RegistryError.unknownDevice(name)
        }
        return device
    }

    private func disconnect(_ device: DeviceID) {
        mailbox.post { $0.disconnect(device, code: .tokenRefused) }
    }
}
