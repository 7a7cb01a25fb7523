import Bytes
import Cluster
import FaultyDisk
import SegmentLog
import SensorModel
import Synchronization

/// Three nodes, a stream, faults, and a ledger of what was acknowledged.
final class SimulatedCluster: @unchecked Sendable {
    struct Written: Hashable {
        var session: SessionID
        var sequence: UInt32
        var payload: [UInt8]
    }

    static let device = DeviceID(rawValue: 7)
    let stream: SimulatedStream
    var nodes: [SimulatedNode] = []
    private var random: SplitMix
    private var sessions: [SessionID] = []
    private var sequence: UInt32 = 0
    /// Acknowledged and not erased, by offset.
    private var promised: [UInt64: Written] = [:]
    /// Everything that was ever appended at an offset: an offset is used once.
    private var used: [UInt64: Written] = [:]
    private var erased: Set<SessionID> = []
    private var version: UInt64 = 0
    private var promisedVersion: UInt64 = 0
    private(set) var violations: [String] = []
    private(set) var claims = 0
    private(set) var copies = 0
    /// Whether questions let others go on.
    private var isNested = false
    private var isSettling = false

    init(seed: UInt64) {
        random = SplitMix(state: seed)
        stream = SimulatedStream(seed: random.next())
        let configuration = LogConfiguration(
            segmentBytesMax: 4096 + random.below(30_000), reserveBytes: random.below(2) * 4096,
            newEpoch: 1, offsetJump: Replicator.offsetJump)
        for name in ["a", "b", "c"] {
            nodes.append(
                SimulatedNode(
                    name, stream, configuration, seed: random.next(),
                    meanwhile: { [weak self] in self?.meanwhile() }))
        }
    }

    var moment: Timestamp {
        Timestamp(microseconds: 1_760_000_000_000_000 + Int64(stream.now) * 1000)
    }

    var leader: SimulatedNode? {
        nodes.first { $0.leading != nil && $0.leading?.replicator.ending == nil }
    }

    // MARK: Running

    func run(steps: Int) throws {
        // The stream's answers hold the nodes, which hold the stream.
        defer { nodes.forEach { $0.kill(isPowerLoss: false, &random) } }
        nodes.forEach { $0.start() }
        stream.state.withLock { $0.faultPercent = [0, 0, 2, 8][random.below(4)] }
        for _ in 0..<steps {
            try step()
            if random.happens(percent: 2) { fault() }
        }
        try settle()
    }

    private func step() throws {
        stream.pass(random.below(30))
        let node = nodes[random.below(nodes.count)]
        guard node.pausedUntil <= stream.now else { return }
        switch node.phase {
        case .down: if random.happens(percent: 10) { node.start() }
        case .standing(let standby):
            try node.stand(standby, now: moment)
            if node.leading != nil { took(over: node) }
        case .leading(let leading): lead(node, leading)
        }
    }

    /// What the leader does while another node copies its files.
    private func meanwhile() {
        guard !isNested, random.happens(percent: 50), let node = leader,
            let leading = node.leading, node.pausedUntil <= stream.now
        else { return }
        isNested = true
        defer { isNested = false }
        for _ in 0..<(1 + random.below(4)) { lead(node, leading) }
        if !isSettling, random.happens(percent: 3) { fault() }
    }

    private func lead(_ node: SimulatedNode, _ leading: SimulatedNode.Leading) {
        leading.replicator.endIfIsolated()
        if leading.replicator.ending != nil {
            // A daemon goes on for a moment until it notices: nothing of that may count.
            for _ in 0..<random.below(3) {
                append(leading)
                leading.log.syncAppended()
                if node.commit(version: version + 1, leading) {
                    violations.append("\(node.name) commits after its term")
                }
                promise(leading)
            }
            node.kill(isPowerLoss: random.happens(percent: 20), &random)
            return
        }
        switch random.below(24) {
        case 0: sessions.append(SessionID(using: &random))
        case 1..<10: for _ in 0..<(1 + random.below(12)) { append(leading) }
        case 10..<15: leading.log.syncAppended()
        case 15: commit(node, leading)
        case 16: if random.happens(percent: 20) { erase(leading) }
        case 17: if random.happens(percent: 20) { retain(leading) }
        case 18: try? leading.log.saveCatalog()
        case 19: leading.service.upkeep(node.connection)
        case 20:
            if random.happens(percent: 10) {
                try? node.connection.remove(below: leading.replicator.status.sequence)
            }
        default: leading.replicator.step()
        }
        promise(leading)
    }

    private func append(_ leading: SimulatedNode.Leading) {
        guard let session = sessions.randomElement(using: &random) else { return }
        sequence += 1
        let payload = (0..<(8 + random.below(300))).map {
            UInt8(truncatingIfNeeded: $0 &+ Int(sequence))
        }
        let time = moment
        let offset = leading.log.append(
            .frame(.motion), session: session, device: Self.device,
            sequence: FrameSequence(rawValue: sequence), deviceTime: time, arrivalTime: time,
            payload: payload.span)
        guard let offset else { return }
        let written = Written(session: session, sequence: sequence, payload: payload)
        if used[offset.rawValue] != nil { violations.append("offset \(offset) was used twice") }
        used[offset.rawValue] = written
        leading.pending[offset.rawValue] = written
    }

    private func promise(_ leading: SimulatedNode.Leading) {
        let end = leading.durableEnd.value.load(ordering: .relaxed)
        for (offset, written) in leading.pending where offset < end {
            leading.pending[offset] = nil
            if !erased.contains(written.session) { promised[offset] = written }
        }
    }

    private func commit(_ node: SimulatedNode, _ leading: SimulatedNode.Leading) {
        version += 1
        if node.commit(version: version, leading) { promisedVersion = version }
    }

    private func erase(_ leading: SimulatedNode.Leading) {
        guard let session = sessions.randomElement(using: &random) else { return }
        leading.log.syncAppended()
        promise(leading)
        sessions.removeAll { $0 == session }
        erased.insert(session)
        promised = promised.filter { $0.value.session != session }
        _ = try? leading.log.erase([session])
    }

    private func retain(_ leading: SimulatedNode.Leading) {
        let due = leading.log.dueForRetention(arrivalBefore: nil, bytesMax: 60_000)
        _ = try? leading.log.retain(due)
        let first = leading.log.firstOffset.rawValue
        promised = promised.filter { $0.key >= first }
    }

    // MARK: Faults

    private func fault() {
        let node = nodes[random.below(nodes.count)]
        switch random.below(11) {
        case 10: node.log.state.withLock { $0.isFull.toggle() }
        case 0, 1: if !isNested || node !== leader { node.kill(isPowerLoss: false, &random) }
        case 2: if !isNested || node !== leader { node.kill(isPowerLoss: true, &random) }
        case 3: if !isNested { node.stop() }
        case 4, 5: node.pausedUntil = stream.now + random.below(8000)
        case 6, 7:
            stream.state.withLock { state in
                if state.cut.remove(node.name) == nil { state.cut.insert(node.name) }
            }
        case 8: stream.state.withLock { $0.isAway.toggle() }
        default:
            stream.state.withLock { $0.cut = [] }
            stream.state.withLock { $0.isAway = false }
        }
    }

    // MARK: Checks

    private func took(over node: SimulatedNode) {
        // Another node may have claimed while this one opened its log.
        guard node.leading?.replicator.ending == nil else { return }
        claims += 1
        check(node)
    }

    /// Everything that was acknowledged is there, once, and nothing else that was not appended.
    private func check(_ node: SimulatedNode) {
        guard let leading = node.leading else { return }
        var found: [UInt64: Written] = [:]
        do {
            try leading.log.reader().read(from: RecordOffset(rawValue: 0), session: nil) {
                header, payload in
                guard header.type == .frame(.motion) else { return true }
                let written = Written(
                    session: header.session, sequence: header.sequence.rawValue,
                    payload: Array(copying: payload))
                if used[header.offset.rawValue] != written {
                    violations.append("\(node.name): altered or invented at \(header.offset)")
                }
                found[header.offset.rawValue] = written
                return true
            }
        } catch {
            violations.append("\(node.name): \(error)")
        }
        let lost = promised.keys.filter { found[$0] == nil }.sorted()
        if let first = lost.first {
            violations.append("\(node.name): \(lost.count) lost, the first at \(first)")
        }
        guard let version = node.registryVersion else {
            return violations.append("\(node.name): a part of a commit")
        }
        if version < promisedVersion { violations.append("\(node.name): a commit is lost") }
    }

    /// Ends all faults, and waits until all nodes follow one leader.
    private func settle() throws {
        isSettling = true
        stream.state.withLock { state in
            state.cut = []
            state.isAway = false
            state.faultPercent = 0
        }
        for node in nodes {
            node.pausedUntil = 0
            node.log.state.withLock { $0.isFull = false }
        }
        for _ in 0..<4000 {
            for node in nodes {
                stream.pass(10)
                switch node.phase {
                case .down: node.start()
                case .standing(let standby):
                    try node.stand(standby, now: moment)
                    if node.leading != nil { took(over: node) }
                case .leading(let leading):
                    if leading.replicator.ending != nil {
                        node.kill(isPowerLoss: false, &random)
                    } else {
                        leading.log.syncAppended()
                        promise(leading)
                        leading.service.upkeep(node.connection)
                        leading.replicator.step()
                    }
                }
            }
            if isSettled { break }
        }
        guard isSettled, let leader else {
            return violations.append("no leader with two followers: \(phases)")
        }
        check(leader)
        for node in nodes where node !== leader { compare(node, with: leader) }
    }

    private var isSettled: Bool {
        guard let leading = leader?.leading, leading.log.pendingBytes == 0 else { return false }
        let last = leading.replicator.status
        return last.waitingBytes == 0
            && nodes.allSatisfy { node in
                if node === leader { return true }
                guard case .standing(let standby) = node.phase else { return false }
                return standby.report.phase == .following
                    && standby.report.sequence >= last.sequence
            }
    }

    private var phases: String {
        nodes.map { node in
            switch node.phase {
            case .down: "\(node.name) is down"
            case .leading(let leading): "\(node.name) leads \(leading.replicator.status)"
            case .standing(let standby):
                "\(node.name) \(standby.report.phase) \(standby.report.sequence) "
                    + "\(standby.trouble.map { "\($0)" } ?? "")"
            }
        }.joined(separator: "; ")
    }

    private func compare(_ node: SimulatedNode, with leader: SimulatedNode) {
        let own = files(of: node)
        let theirs = files(of: leader)
        for name in Set(own.keys).union(theirs.keys).sorted() where own[name] != theirs[name] {
            let sizes = "\(own[name]?.count ?? -1) and \(theirs[name]?.count ?? -1) bytes"
            violations.append("\(name) of \(node.name) is not that of \(leader.name): \(sizes)")
        }
    }

    private func files(of node: SimulatedNode) -> [String: [UInt8]] {
        var files = [ClusterFiles.registry: node.state.content(of: ClusterFiles.registry)]
        for name in (try? node.log.list()) ?? []
        where name != SegmentFormat.lockName && name != SegmentFormat.reserveName {
            files[name] = node.log.content(of: name)
        }
        return files
    }
}
