import SensorModel

/// All connections of a server and the rules of eviction.
///
/// Pure: it names the connections that must be closed, and no longer counts them.
///
/// * Strangers, the operations listener and the owner each have reserved places.
/// * Strangers evict one another, first one from the most crowded networks.
/// * A device, the operations listener and the owner evict viewers if no place is left.
/// * Connections of one device evict one another, the oldest first, above a limit.
/// * Strangers and viewers are counted per address and network; devices are not.
struct ConnectionTable {
    enum Refusal: Error, Hashable, Sendable {
        case connections
        case address
    }

    struct Bounds: Hashable, Sendable {
        let connectionsMax: Int
        let strangersMax: Int
        let perAddressMax: Int
        let perDeviceMax: Int
        /// One more operations connection closes the oldest of them.
        var operationsMax: Int { max(1, min(64, connectionsMax / 8)) }

        init(_ limits: ConnectionLimits) {
            connectionsMax = limits.connectionsMax
            strangersMax = limits.unauthenticatedMax
            perAddressMax = limits.connectionsPerAddressMax
            perDeviceMax = limits.connectionsPerDeviceMax
        }

        /// Places that connections of other classes must leave free.
        func reserve(_ kind: ConnectionClass) -> Int {
            switch kind {
            case .stranger: min(strangersMax, connectionsMax / 4)
            case .operations, .owner: min(16, connectionsMax / 8)
            case .viewer, .device: 0
            }
        }
    }

    struct Placed: Hashable, Sendable {
        let number: UInt64
        /// A connection that must be closed; it is not counted any more.
        var evicted: UInt64?
    }

    /// Connections from one address or network.
    fileprivate final class Origin {
        let network: PeerAddress.Prefix
        var strangers = 0
        var viewers = 0

        init(_ network: PeerAddress.Prefix) {
            self.network = network
        }

        func strangersMax(_ bounds: Bounds) -> Int {
            let all = bounds.perAddressMax * network.places
            // Viewers cannot keep a device of the same address from its handshake.
            return max(1, all / 8, all - viewers)
        }

        func viewersMax(_ bounds: Bounds) -> Int { bounds.perAddressMax * network.places }
    }

    fileprivate struct Entry {
        let number: UInt64
        var kind: ConnectionClass
        /// Networks of the peer, the narrowest first; empty for the machine's own and for proxies.
        var origins: [Origin]
        /// The device of a connection of that class.
        var device: DeviceID?
    }

    private var byKind = [[UInt64: Entry]](
        repeating: [:], count: ConnectionClass.allCases.count)
    private var kinds: [UInt64: ConnectionClass] = [:]
    private var origins: [PeerAddress.Prefix: Origin] = [:]
    private var byDevice: [DeviceID: Set<UInt64>] = [:]
    private var nextNumber: UInt64 = 1

    func count(_ kind: ConnectionClass) -> Int { byKind[Int(kind.rawValue)].count }

    // MARK: - Events

    /// - Parameters:
    ///   - peer: `nil` if the address is not counted: the machine's own, or a trusted proxy.
    ///   - kind: ``ConnectionClass/stranger``, or the class that the listener gives to all its
    ///     connections.
    ///   - bounds: Limits of the listener.
    /// - Returns: The place, or the reason why there is none.
    mutating func admit(
        _ peer: PeerAddress?, as kind: ConnectionClass, _ bounds: Bounds
    ) -> Result<Placed, Refusal> {
        let entry = Entry(
            number: nextNumber, kind: kind, origins: kind == .stranger ? origins(of: peer) : [])
        let answer = place(entry, bounds)
        if case .success = answer { nextNumber += 1 } else { forget(entry.origins) }
        return answer
    }

    /// Raises a connection to the class that it has proved.
    ///
    /// - Returns: `nil` for a connection that was evicted, or has proved the class before.
    mutating func prove(
        _ number: UInt64, _ proof: ConnectionProof, _ bounds: Bounds
    ) -> Result<Placed, Refusal>? {
        guard let old = kinds[number], old < proof.kind, var entry = take(number) else {
            return nil
        }
        let before = entry
        entry.kind = proof.kind
        entry.device = proof.device
        if proof.kind > .viewer { entry.origins = [] }
        let answer = place(entry, bounds)
        if case .failure = answer {
            insert(before)
        } else {
            forget(before.origins)
        }
        return answer
    }

    /// Assigns a proxy's connection to the peer behind it.
    ///
    /// - Returns: `nil` if nothing changes.
    mutating func move(
        _ number: UInt64, to peer: PeerAddress?, _ bounds: Bounds
    ) -> Result<Placed, Refusal>? {
        guard let kind = kinds[number], kind <= .viewer, let before = take(number) else {
            return nil
        }
        let entry = Entry(number: number, kind: kind, origins: origins(of: peer))
        let answer = place(entry, bounds)
        if case .failure = answer {
            insert(before)
            forget(entry.origins)
        } else {
            forget(before.origins)
        }
        return answer
    }

    mutating func remove(_ number: UInt64) {
        if let entry = take(number) { forget(entry.origins) }
    }

    // MARK: - Places

    private mutating func place(_ entry: Entry, _ bounds: Bounds) -> Result<Placed, Refusal> {
        var victim: UInt64?
        switch entry.kind {
        case .stranger:
            // A connection evicted from the narrowest full network also leaves the wider ones.
            if let full = entry.origins.first(where: { $0.strangers >= $0.strangersMax(bounds) }) {
                victim = stranger(of: full)
            } else if count(.stranger) >= bounds.strangersMax || !hasRoom(.stranger, bounds) {
                victim = stranger(of: nil)
                if victim == nil { return .failure(.connections) }
            }
        case .viewer:
            guard entry.origins.allSatisfy({ $0.viewers < $0.viewersMax(bounds) }) else {
                return .failure(.address)
            }
            guard hasRoom(.viewer, bounds) else { return .failure(.connections) }
        case .device, .operations, .owner:
            if let own = oldest(of: entry.device, bounds) {
                victim = own
            } else if entry.kind == .operations, count(.operations) >= bounds.operationsMax {
                victim = byKind[Int(entry.kind.rawValue)].keys.min()
            } else if !hasRoom(entry.kind, bounds) {
                victim = giveWay(bounds)
                if victim == nil { return .failure(.connections) }
            }
        }
        insert(entry)
        // The victim is removed last: both may share origins, and removal drops empty ones.
        if let victim { remove(victim) }
        return .success(Placed(number: entry.number, evicted: victim))
    }

    /// The connection to evict for one more of its device; `nil`: none.
    private func oldest(of device: DeviceID?, _ bounds: Bounds) -> UInt64? {
        guard let device, let own = byDevice[device], own.count >= bounds.perDeviceMax else {
            return nil
        }
        return own.min()
    }

    /// Whether one more connection fits beside all the others and the reserves.
    private func hasRoom(_ kind: ConnectionClass, _ bounds: Bounds) -> Bool {
        let taken = ConnectionClass.allCases.reduce(0) {
            $0 + max(count($1) + ($1 == kind ? 1 : 0), bounds.reserve($1))
        }
        return taken <= bounds.connectionsMax
    }

    /// The stranger, or else the viewer, to evict for a connection of a higher class.
    private func giveWay(_ bounds: Bounds) -> UInt64? {
        if count(.stranger) > bounds.reserve(.stranger) { return stranger(of: nil) }
        return byKind[Int(ConnectionClass.viewer.rawValue)].keys.max()
    }

    /// The oldest stranger from the most crowded networks, compared by the widest network, then by
    /// the narrower ones. The search visits every stranger; there are few.
    private func stranger(of network: Origin?) -> UInt64? {
        var found: Entry?
        for entry in byKind[Int(ConnectionClass.stranger.rawValue)].values {
            if let network, !entry.origins.contains(where: { $0 === network }) { continue }
            guard let best = found else {
                found = entry
                continue
            }
            if isMoreCrowded(entry, than: best) { found = entry }
        }
        return found?.number
    }

    private func isMoreCrowded(_ left: Entry, than right: Entry) -> Bool {
        // Connections without an origin belong to many peers: each is compared as a peer of its
        // own.
        for index in 1...PeerAddress.Prefix.levels {
            let (one, other) = (crowd(left, index), crowd(right, index))
            if one != other { return one > other }
        }
        return left.number < right.number
    }

    private func crowd(_ entry: Entry, _ fromWidest: Int) -> Int {
        let index = max(0, entry.origins.count - fromWidest)
        return entry.origins.isEmpty ? 1 : entry.origins[index].strangers
    }

    // MARK: - Counts

    private mutating func insert(_ entry: Entry) {
        kinds[entry.number] = entry.kind
        byKind[Int(entry.kind.rawValue)][entry.number] = entry
        if let device = entry.device { byDevice[device, default: []].insert(entry.number) }
        count(entry, 1)
    }

    private mutating func take(_ number: UInt64) -> Entry? {
        guard let kind = kinds.removeValue(forKey: number),
            let entry = byKind[Int(kind.rawValue)].removeValue(forKey: number)
        else { return nil }
        if let device = entry.device {
            byDevice[device]?.remove(number)
            if byDevice[device]?.isEmpty == true { byDevice[device] = nil }
        }
        count(entry, -1)
        return entry
    }

    private func count(_ entry: Entry, _ change: Int) {
        for origin in entry.origins {
            switch entry.kind {
            case .stranger: origin.strangers += change
            case .viewer: origin.viewers += change
            case .device, .operations, .owner: break
            }
        }
    }

    private mutating func origins(of peer: PeerAddress?) -> [Origin] {
        guard let peer else { return [] }
        return peer.prefixes.map { prefix in
            if let known = origins[prefix] { return known }
            let made = Origin(prefix)
            origins[prefix] = made
            return made
        }
    }

    private mutating func forget(_ left: [Origin]) {
        for origin in left where origin.strangers == 0 && origin.viewers == 0 {
            origins[origin.network] = nil
        }
    }

    /// Number of networks with connections, for tests.
    var originCount: Int { origins.count }

    /// Number of devices with connections, for tests.
    var deviceCount: Int { byDevice.count }
}
