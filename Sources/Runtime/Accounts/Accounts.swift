import Bytes
package import Dispatch
package import Processing
import Recordings
package import Registry
package import Secrets
package import SensorModel
package import Sharing
import Synchronization

/// Devices that may send and viewers that may watch: the registry's devices and shares, held in
/// memory for the listeners.
///
/// A change goes to the registry first, then to memory. Only calls that change something wait for
/// the disk.
package final class Accounts: Sendable {
    package struct State {
        package var devices: [DeviceID: Device] = [:]
        /// Courses of the devices that have one.
        package var courses: [DeviceID: CourseRoute] = [:]
        var devicesByToken: [SecretHash: DeviceID] = [:]
        /// Device IDs by name in lower case.
        var devicesByName: [String: DeviceID] = [:]
        package var shares = ShareDirectory()
        var sealedIDs: [ShareKey: [UInt8]] = [:]
        package var viewers: ViewerCounts
        package var viewersEverChanged: Set<ShareKey> = []
        package var proofs = ProofMemory()
        var codes = ShortCodes()
        var codeNumbers: [ShortCode: Int64] = [:]
        package var failures: FailureLimiter
        package var cheers = CheerLimiter()
        package var audit = AuditNotes()
        package var readers = ReaderLimiter()
        var deletions = DeviceLimiter(countMax: deletionsPerMinuteMax, windowSeconds: 60)
        var deletionsOfDay = DeviceLimiter(countMax: deletionsPerDayMax, windowSeconds: 86_400)
        var joins = DeviceLimiter(countMax: joinsMax, windowSeconds: joinsWindowSeconds)
        package var cheersKept = CheerHistory()
        package var lastSeen: [DeviceID: Timestamp] = [:]
        /// Last runs of each device, newest first; a device that is not here has not been asked.
        package var recentRuns: [DeviceID: [RecentRun]] = [:]
        /// Devices with receivers, and the seconds of silence of which one of these is told;
        /// infinity: none is. Addresses are read when they are needed.
        package var receiverSilence: [DeviceID: Double] = [:]
        /// Shares whose link each alert renews, so that it is nobody's to keep.
        package var receiverShares: Set<ShareKey> = []
        /// Devices whose finished runs are delivered somewhere.
        package var devicesWithTargets: Set<DeviceID> = []
    }

    /// Groups that a device joins in a window; each join makes the group's viewers connect again.
    static let joinsMax = 10
    static let joinsWindowSeconds = 600
    /// Session deletions by one device a minute; each rewrites whole segments of the log.
    static let deletionsPerMinuteMax = 5
    /// Session deletions by one device a day. A deletion may also begin a segment of at least 92
    /// KiB, which stays while another session is in it.
    package static let deletionsPerDayMax = 300
    /// Memory of all courses, in bytes: 80 of the longest courses, or 500 of 500
    /// points, all with altitudes.
    package static let courseBytesMax = 16 << 20

    package let registry: RegistryStore
    package let masterKey: MasterKey
    package let sharesPerDeviceMax: Int
    /// Stands for a missing device: real numbers begin with 1.
    package static let nobody = DeviceID(rawValue: 0)
    package let nobodysProofKey: [UInt8]
    package let requests: DeviceRequests
    /// Performs delayed writes, so that no listener waits for the disk.
    package let writing = DispatchQueue(label: "pulsecast.accounts")
    private let state: Mutex<State>
    /// Held from reading the old state until memory and the pipeline have the change, so that
    /// concurrent changes do not undo each other.
    private let changing = Mutex(())

    /// - Parameters:
    ///   - registry: Open registry.
    ///   - masterKey: Key that sealed its secrets.
    ///   - failuresPerMinuteMax: Wrong guesses of one address per minute before it is refused.
    ///   - viewersPerShareMax: Limit for shares without a limit of their own.
    ///   - sharesPerDeviceMax: Shares of one device that are not over.
    ///   - bodyBytesMax: Length of a request's longest body.
    /// - Throws: ``RegistryError``
    package init(
        registry: RegistryStore, masterKey: MasterKey, failuresPerMinuteMax: Int,
        viewersPerShareMax: Int, sharesPerDeviceMax: Int = 64,
        bodyBytesMax: Int = Limits.httpBodyBytesMax
    ) throws(RegistryError) {
        self.registry = registry
        self.masterKey = masterKey
        self.sharesPerDeviceMax = sharesPerDeviceMax
        requests = DeviceRequests(bodyBytesMax: bodyBytesMax)
        var generator = SystemRandomNumberGenerator()
        nobodysProofKey = masterKey.seal(
            DeviceToken(using: &generator).proofKey.bytes, for: .proofKey(Self.nobody))
        let snapshot = try registry.snapshot()
        var state = State(
            viewers: ViewerCounts(perShareMax: viewersPerShareMax),
            failures: FailureLimiter(failuresMax: failuresPerMinuteMax))
        for device in snapshot.devices { state.put(device) }
        for (device, stored) in snapshot.courses {
            // The course was valid when it was stored; one that is no longer readable is ignored.
            state.courses[device] = try? CourseRoute(Course(GPXCourse.read(stored.gpx)))
        }
        for share in snapshot.shares {
            state.shares.put(share)
            state.sealedIDs[share.key] = try registry.sealedID(of: share.key)
        }
        for (share, count) in snapshot.viewersEver { state.viewers.restore(share, ever: count) }
        for proof in snapshot.usedProofs {
            state.proofs.restore(proof.proof, of: proof.device, sentAt: proof.sentAt)
        }
        for sealed in snapshot.codes {
            guard let text = try? masterKey.open(sealed.sealed, for: .shortCode(sealed.share)),
                let code = ShortCode(String(decoding: text, as: UTF8.self))
            else { continue }  // sealed under another master key: useless now
            state.codes.restore(code, for: sealed.share, until: sealed.expiresAt)
            state.codeNumbers[code] = sealed.number
        }
        state.receiverSilence = try registry.silentMinutes().mapValues(Self.silence)
        state.receiverShares = try registry.receiverShares()
        state.devicesWithTargets = try registry.devicesWithTargets()
        self.state = Mutex(state)
    }

    package func withState<Result>(_ body: (inout sending State) -> sending Result)
        -> sending Result
    {
        state.withLock { state in body(&state) }
    }

    // MARK: Changes

    /// Runs a change of devices or shares after those that have begun; not reentrant.
    ///
    /// - Parameter body: Reads what it changes, then writes the registry and memory.
    /// - Returns: The result of `body`.
    package func changing<Result: Sendable>(_ body: () throws -> Result) rethrows -> Result {
        try changing.withLock { _ in try body() }
    }

    /// Changes a device on behalf of a caller that was admitted to it.
    ///
    /// - Parameters:
    ///   - admitted: The device as it was found for the request.
    ///   - body: Receives the device as it is now.
    /// - Returns: The result of `body`.
    /// - Throws: ``AdministrationError/changedMeanwhile(_:)`` if it was revoked, got a new token or
    ///   was deleted since; errors of `body`.
    package func changing<Result: Sendable>(
        _ admitted: Device, _ body: (Device) throws -> Result
    ) throws -> Result {
        try changing {
            guard let device = device(admitted.id), device.tokenHash == admitted.tokenHash,
                device.isRevoked == admitted.isRevoked
            else { throw AdministrationError.changedMeanwhile(admitted.name) }
            return try body(device)
        }
    }

    // MARK: Look-ups

    package var devices: [Device] {
        withState { Array($0.devices.values) }.sorted { $0.id < $1.id }
    }

    package func device(_ id: DeviceID) -> Device? { withState { $0.devices[id] } }

    /// Name of a device; empty if the device is gone.
    package func name(of id: DeviceID) -> String { device(id)?.name ?? "" }

    package func device(named name: String) -> Device? {
        withState { state in state.devicesByName[name.lowercased()].flatMap { state.devices[$0] } }
    }

    /// Profile with the zones that were valid at `time`, and with the last runs.
    package func profile(of id: DeviceID, at time: Timestamp) -> RunnerProfile {
        let (device, runs) = withState { ($0.devices[id], $0.recentRuns[id] ?? []) }
        var profile = device?.profile(at: time) ?? RunnerProfile()
        profile.recentRuns = runs
        return profile
    }

    package func course(of id: DeviceID) -> CourseRoute? { withState { $0.courses[id] } }

    package func privacy(of id: DeviceID) -> PrivacySettings { device(id)?.privacy ?? .none }

    /// The projection rule of the device; `everything` if no active share obeys its privacy
    /// settings.
    package func rule(of id: DeviceID, at now: Timestamp) -> ProjectionRule {
        withState { state in
            let shares = state.shares.shares(of: id)
            guard let privacy = state.devices[id]?.privacy,
                shares.contains(where: { $0.hidesPlaces && $0.isActive(at: now) })
            else { return .everything }
            return ProjectionRule(privacy)
        }
    }

    /// The device of a token; `nil` if the token is unknown or the device is revoked.
    package func device(withToken text: String) -> Device? {
        guard let token = DeviceToken(text) else { return nil }
        let hash = token.hash
        return withState { state in
            guard let id = state.devicesByToken[hash], let device = state.devices[id],
                ConstantTime.areEqual(device.tokenHash, hash), !device.isRevoked
            else { return nil }
            return device
        }
    }

    package var shares: [Share] { withState { $0.shares.all } }

    package func share(_ key: ShareKey) -> Share? { withState { $0.shares[key] } }

    /// Number of viewers of a share now, and in total.
    package func viewerCounts(of key: ShareKey) -> (now: Int, ever: Int) {
        withState { ($0.viewers.watching(key), $0.viewers.watchedEver(key)) }
    }

    /// Shares by name, by `DEVICE:NAME` if several devices use the name, or by the secret ID.
    ///
    /// - Returns: All matching shares.
    package func shares(namedOrID text: String) -> [Share] {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        let hash = ShareID(text)?.hash
        return withState { state in
            if parts.count == 2 {
                let device = state.devicesByName[parts[0].lowercased()]
                return device.flatMap { state.shares.named(parts[1], of: $0) }.map { [$0] } ?? []
            }
            let named = state.shares.named(text)
            guard named.isEmpty, let hash else { return named }
            return state.shares.all.filter { ConstantTime.areEqual($0.idHash, hash) }
        }
    }

    /// The share's secret, for its owner.
    package func secretID(of key: ShareKey) -> ShareID? {
        guard let sealed = withState({ $0.sealedIDs[key] }) else { return nil }
        // A seal of another master key does not open: the link is lost, and rotation makes a new
        // one.
        guard let bytes = try? masterKey.open(sealed, for: .shareID(key)) else { return nil }
        return ShareID(bytes: bytes)
    }

    /// Link for the watch's display: the runner's newest share that does not expire.
    func shareText(of device: DeviceID, at now: Timestamp) -> String? {
        let newest = withState { state in
            state.shares.shares(of: device).last {
                $0.expiresAt == nil && $0.isActive(at: now)
                    && !state.receiverShares.contains($0.key)
            }
        }
        return newest.flatMap { secretID(of: $0.key)?.text }
    }
}

extension Accounts.State {
    /// Adds a device, or replaces its data. Its course stays.
    package mutating func put(_ device: Device) {
        forgetLookups(of: device.id)
        devices[device.id] = device
        devicesByToken[device.tokenHash] = device.id
        devicesByName[device.name.lowercased()] = device.id
    }

    package mutating func remove(_ id: DeviceID) {
        forgetLookups(of: id)
        devices[id] = nil
        courses[id] = nil
    }

    /// Removes look-up entries: the token and the name may have changed.
    private mutating func forgetLookups(of id: DeviceID) {
        guard let device = devices[id] else { return }
        devicesByToken[device.tokenHash] = nil
        devicesByName[device.name.lowercased()] = nil
    }
}
