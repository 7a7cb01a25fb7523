import SensorModel
import Testing

@testable import Transport

/// The table against a list that is looked through from its beginning each time.
@Suite struct ConnectionModelTests {
    private struct Model {
        var list: [(number: UInt64, kind: ConnectionClass, peer: PeerAddress?)] = []
        /// Devices of authenticated connections.
        var devices: [UInt64: DeviceID] = [:]
        let bounds: ConnectionTable.Bounds

        func prefixes(_ peer: PeerAddress?) -> [PeerAddress.Prefix] { peer?.prefixes ?? [] }

        func count(_ kind: ConnectionClass, in prefix: PeerAddress.Prefix? = nil) -> Int {
            list.count { entry in
                entry.kind == kind && (prefix.map { prefixes(entry.peer).contains($0) } ?? true)
            }
        }

        var reserved: Int {
            ConnectionClass.allCases.reduce(0) { $0 + max(count($1), bounds.reserve($1)) }
        }

        /// Checks the invariants after a step.
        func check() {
            #expect(reserved <= bounds.connectionsMax)
            #expect(count(.stranger) <= bounds.strangersMax)
            #expect(count(.operations) <= bounds.operationsMax)
            for device in Set(devices.values) {
                #expect(own(device).count <= bounds.perDeviceMax)
            }
            for prefix in Set(list.flatMap { prefixes($0.peer) }) {
                let places = bounds.perAddressMax * prefix.places
                let (strangers, viewers) = (
                    count(.stranger, in: prefix), count(.viewer, in: prefix)
                )
                #expect(viewers <= places)
                #expect(strangers <= max(1, places / 8, places - viewers))
            }
        }

        func own(_ device: DeviceID) -> [UInt64] {
            list.filter { $0.kind == .device && devices[$0.number] == device }.map(\.number)
        }

        /// The number of strangers in each of its networks, the widest first.
        func crowd(_ peer: PeerAddress?) -> [Int] {
            var counts = prefixes(peer).reversed().map { count(.stranger, in: $0) }
            while counts.count < 4 { counts.append(counts.last ?? 1) }
            return counts
        }

        func stranger(in prefix: PeerAddress.Prefix?) -> UInt64? {
            list.filter { entry in
                entry.kind == .stranger
                    && (prefix.map { prefixes(entry.peer).contains($0) } ?? true)
            }.max { left, right in
                let (one, other) = (crowd(left.peer), crowd(right.peer))
                return one == other
                    ? left.number > right.number : one.lexicographicallyPrecedes(other)
            }?.number
        }

        /// The connection evicted for a newcomer of this kind; `nil` in the answer: none has to be.
        func placing(
            _ kind: ConnectionClass, _ peer: PeerAddress?, _ device: DeviceID? = nil
        ) -> Result<UInt64?, ConnectionTable.Refusal> {
            var after = self
            after.list.append((.max, kind, peer))
            let fits = after.reserved <= bounds.connectionsMax
            switch kind {
            case .stranger:
                let full = prefixes(peer).first { prefix in
                    let places = bounds.perAddressMax * prefix.places
                    return count(.stranger, in: prefix)
                        >= max(1, places / 8, places - count(.viewer, in: prefix))
                }
                if let full { return .success(stranger(in: full)) }
                if fits, count(.stranger) < bounds.strangersMax { return .success(nil) }
                return stranger(in: nil).map { .success($0) } ?? .failure(.connections)
            case .viewer:
                for prefix in prefixes(peer)
                where count(.viewer, in: prefix) >= bounds.perAddressMax * prefix.places {
                    return .failure(.address)
                }
                return fits ? .success(nil) : .failure(.connections)
            case .device, .operations, .owner:
                if let own = device.map(own), own.count >= bounds.perDeviceMax {
                    return .success(own.min())
                }
                if kind == .operations, count(kind) >= bounds.operationsMax {
                    return .success(list.filter { $0.kind == kind }.map(\.number).min())
                }
                if fits { return .success(nil) }
                let spare = count(.stranger) > bounds.reserve(.stranger)
                let victim =
                    spare
                    ? stranger(in: nil) : list.filter { $0.kind == .viewer }.map(\.number).max()
                return victim.map { .success($0) } ?? .failure(.connections)
            }
        }

        mutating func place(
            _ number: UInt64, _ kind: ConnectionClass, _ peer: PeerAddress?, without victim: UInt64?
        ) {
            list.removeAll { $0.number == victim }
            list.append((number, kind, peer))
        }
    }

    private static func peer(_ random: inout SplitMix) -> PeerAddress? {
        let number = { (below: Int, random: inout SplitMix) in
            Int.random(in: 0..<below, using: &random)
        }
        switch number(4, &random) {
        case 0: return nil
        case 1: return PeerAddress("10.0.\(number(3, &random)).\(number(3, &random))")
        default:
            let subnet = number(2, &random) * 256 + number(2, &random)
            return PeerAddress(
                "2001:db8:\(number(2, &random)):\(String(subnet, radix: 16))::\(number(2, &random))"
            )
        }
    }

    @Test(arguments: 0..<60)
    func `The table decides as a list would`(seed: Int) {
        var random = SplitMix(state: UInt64(seed))
        var limits = ConnectionLimits()
        limits.connectionsMax = Int.random(in: 1...40, using: &random)
        limits.unauthenticatedMax = Int.random(in: 1...12, using: &random)
        limits.connectionsPerAddressMax = Int.random(in: 1...6, using: &random)
        limits.connectionsPerDeviceMax = Int.random(in: 1...6, using: &random)
        let bounds = ConnectionTable.Bounds(limits)
        var table = ConnectionTable()
        var model = Model(bounds: bounds)
        for _ in 0..<400 {
            step(&table, &model, &random)
            model.check()
            for kind in ConnectionClass.allCases {
                #expect(table.count(kind) == model.count(kind))
            }
        }
        for entry in model.list { table.remove(entry.number) }
        #expect(table.originCount == 0)
        #expect(table.deviceCount == 0)
    }

    private func step(
        _ table: inout ConnectionTable, _ model: inout Model, _ random: inout SplitMix
    ) {
        let bounds = model.bounds
        let chosen = model.list.randomElement(using: &random)
        let kinds: [ConnectionClass] = [.stranger, .stranger, .stranger, .operations, .owner]
        switch (Int.random(in: 0..<8, using: &random), chosen) {
        case (0, let chosen?):
            table.remove(chosen.number)
            model.list.removeAll { $0.number == chosen.number }
        case (1...3, let chosen?):
            let device = DeviceID(rawValue: UInt32.random(in: 1...3, using: &random))
            let proof: ConnectionProof = Bool.random(using: &random) ? .viewer : .device(device)
            let answer = table.prove(chosen.number, proof, bounds)
            guard chosen.kind < proof.kind else {
                #expect(answer == nil)
                return
            }
            change(
                answer, chosen.number, proof.kind, chosen.peer, chosen, &model, proof.device)
        case (4, let chosen?) where chosen.kind <= .viewer:
            let peer = Self.peer(&random)
            let answer = table.move(chosen.number, to: peer, bounds)
            change(answer, chosen.number, chosen.kind, peer, chosen, &model)
        default:
            let (kind, peer) = (
                kinds.randomElement(using: &random) ?? .stranger, Self.peer(&random)
            )
            let answer = table.admit(peer, as: kind, bounds)
            let counted = kind == .stranger ? peer : nil
            switch (answer, model.placing(kind, counted)) {
            case (.success(let placed), .success(let victim)):
                #expect(placed.evicted == victim)
                model.place(placed.number, kind, counted, without: victim)
            case (.failure(let one), .failure(let other)): #expect(one == other)
            default: Issue.record("\(answer)")
            }
        }
    }

    private func change(
        _ answer: Result<ConnectionTable.Placed, ConnectionTable.Refusal>?, _ number: UInt64,
        _ kind: ConnectionClass, _ peer: PeerAddress?,
        _ before: (number: UInt64, kind: ConnectionClass, peer: PeerAddress?),
        _ model: inout Model, _ device: DeviceID? = nil
    ) {
        let counted = kind <= .viewer ? peer : nil
        model.list.removeAll { $0.number == number }
        switch (answer, model.placing(kind, counted, device)) {
        case (.success(let placed), .success(let victim)):
            #expect(placed.number == number && placed.evicted == victim)
            model.devices[number] = device
            model.place(number, kind, counted, without: victim)
        case (.failure(let one), .failure(let other)):
            #expect(one == other)
            model.list.append(before)
        default: Issue.record("\(String(describing: answer))")
        }
    }
}
