import Dispatch
import Interchange
import Registry
import Secrets
import SensorModel
import Sharing
import Synchronization

/// Who may send and who may watch: the registry's devices and shares, held in memory for the doors.
///
/// The registry is written first, the memory after it; nothing here waits for the disk but the
/// calls that change something.
final class Accounts: Sendable {
    struct State {
        var devices: [DeviceID: Device] = [:]
        /// Of those that have one.
        var courses: [DeviceID: Course] = [:]
        var devicesByToken: [SecretHash: DeviceID] = [:]
        /// Lower case.
        var devicesByName: [String: DeviceID] = [:]
        var shares = ShareDirectory()
        var sealedIDs: [ShareKey: [UInt8]] = [:]
        var viewers: ViewerCounts
        var viewersEverChanged: Set<ShareKey> = []
        var proofs = ProofMemory()
        var codes = ShortCodes()
        var codeNumbers: [ShortCode: Int64] = [:]
        var failures: FailureLimiter
        var cheers = CheerLimiter()
        var audit = AuditNotes()
        var readers = ReaderLimiter()
        var deletions = DeletionLimiter()
        var cheersKept = KeptCheers()
        var lastSeen: [DeviceID: Timestamp] = [:]
    }

    let registry: RegistryStore
    let masterKey: MasterKey
    let sharesPerDeviceMax: Int
    /// Stands in for a device that is not there: its numbers begin with 1.
    static let nobody = DeviceID(rawValue: 0)
    let nobodysProofKey: [UInt8]
    /// Writes what waits a little, so that no door waits for the disk.
    let writing = DispatchQueue(label: "pulsecast.accounts")
    private let state: Mutex<State>

    /// - Parameters:
    ///   - registry: Open.
    ///   - masterKey: That sealed what is in it.
    ///   - failuresPerMinuteMax: Wrong guesses of one address before it is told to wait.
    ///   - viewersPerShareMax: For shares without a limit of their own.
    ///   - sharesPerDeviceMax: Shares of one device that are not over.
    /// - Throws: ``RegistryError``
    init(
        registry: RegistryStore, masterKey: MasterKey, failuresPerMinuteMax: Int,
        viewersPerShareMax: Int, sharesPerDeviceMax: Int = 64
    ) throws(RegistryError) {
        self.registry = registry
        self.masterKey = masterKey
        self.sharesPerDeviceMax = sharesPerDeviceMax
        var generator = SystemRandomNumberGenerator()
        nobodysProofKey = masterKey.seal(
            DeviceToken(using: &generator).proofKey.bytes, for: .proofKey(Self.nobody))
        let snapshot = try registry.snapshot()
        var state = State(
            viewers: ViewerCounts(perShareMax: viewersPerShareMax),
            failures: FailureLimiter(failuresMax: failuresPerMinuteMax))
        for device in snapshot.devices { state.put(device) }
        for (device, stored) in snapshot.courses {
            // It was read once before it was taken; a file that no longer can be is not followed.
            state.courses[device] = try? Course(GPXCourse.read(stored.gpx))
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
            else { continue }  // sealed under another master key: worth nothing any more
            state.codes.restore(code, for: sealed.share, until: sealed.expiresAt)
            state.codeNumbers[code] = sealed.number
        }
        self.state = Mutex(state)
    }

    func withState<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
        state.withLock { state in body(&state) }
    }

    // MARK: What others look up

    var devices: [Device] { withState { Array($0.devices.values) }.sorted { $0.id < $1.id } }

    func device(_ id: DeviceID) -> Device? { withState { $0.devices[id] } }

    /// Of a device that may be gone by now; empty then.
    func name(of id: DeviceID) -> String { device(id)?.name ?? "" }

    func device(named name: String) -> Device? {
        withState { state in state.devicesByName[name.lowercased()].flatMap { state.devices[$0] } }
    }

    /// With the zones that held at `time`.
    func profile(of id: DeviceID, at time: Timestamp) -> RunnerProfile {
        device(id)?.profile(at: time) ?? RunnerProfile()
    }

    func course(of id: DeviceID) -> Course? { withState { $0.courses[id] } }

    func privacy(of id: DeviceID) -> PrivacySettings { device(id)?.privacy ?? .none }

    /// The device a token belongs to, unless it is revoked.
    func device(withToken text: String) -> Device? {
        guard let token = DeviceToken(text) else { return nil }
        let hash = token.hash
        return withState { state in
            guard let id = state.devicesByToken[hash], let device = state.devices[id],
                ConstantTime.areEqual(device.tokenHash, hash), !device.isRevoked
            else { return nil }
            return device
        }
    }

    var shares: [Share] { withState { $0.shares.all } }

    func share(_ key: ShareKey) -> Share? { withState { $0.shares[key] } }

    /// How many watch a share now, and how many ever did.
    func viewerCounts(of key: ShareKey) -> (now: Int, ever: Int) {
        withState { ($0.viewers.watching(key), $0.viewers.watchedEver(key)) }
    }

    /// By name, where several devices have it by `DEVICE:NAME`, or by the secret ID itself.
    ///
    /// - Returns: All that are meant.
    func shares(namedOrID text: String) -> [Share] {
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
    func secretID(of key: ShareKey) -> ShareID? {
        guard let sealed = withState({ $0.sealedIDs[key] }) else { return nil }
        // A seal of another master key does not open: the link is lost and can be rotated.
        guard let bytes = try? masterKey.open(sealed, for: .shareID(key)) else { return nil }
        return ShareID(bytes: bytes)
    }

    /// What a watch may show as the link to its runner: the newest share that does not expire.
    func shareText(of device: DeviceID, at now: Timestamp) -> String? {
        let newest = withState { state in
            state.shares.shares(of: device).last { $0.expiresAt == nil && $0.isActive(at: now) }
        }
        return newest.flatMap { secretID(of: $0.key)?.text }
    }
}

extension Accounts.State {
    /// Adds a device, or replaces what is known of it. Its course stays.
    mutating func put(_ device: Device) {
        forgetLookups(of: device.id)
        devices[device.id] = device
        devicesByToken[device.tokenHash] = device.id
        devicesByName[device.name.lowercased()] = device.id
    }

    mutating func remove(_ id: DeviceID) {
        forgetLookups(of: id)
        devices[id] = nil
        courses[id] = nil
    }

    /// Its token and its name may have changed.
    private mutating func forgetLookups(of id: DeviceID) {
        guard let device = devices[id] else { return }
        devicesByToken[device.tokenHash] = nil
        devicesByName[device.name.lowercased()] = nil
    }
}
