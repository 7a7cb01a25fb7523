import SensorModel
import Testing

@testable import Transport

@Suite struct ConnectionTableTests {
    private typealias Table = ConnectionTable

    private static func bounds(_ all: Int, strangers: Int, perAddress: Int = 64) -> Table.Bounds {
        var limits = ConnectionLimits()
        limits.connectionsMax = all
        limits.unauthenticatedMax = strangers
        limits.connectionsPerAddressMax = perAddress
        return Table.Bounds(limits)
    }

    private static func peer(_ text: String) throws -> PeerAddress {
        try #require(PeerAddress(text))
    }

    /// Connects and authenticates at once; `device`: `nil` stands for a new device.
    private static func connect(
        _ table: inout Table, _ text: String?, _ kind: ConnectionClass, _ bounds: Table.Bounds,
        device: UInt32? = nil
    ) throws -> (number: UInt64?, evicted: [UInt64]) {
        let peer = try text.map { try Self.peer($0) }
        let first: ConnectionClass = kind == .device || kind == .viewer ? .stranger : kind
        guard case .success(let placed) = table.admit(peer, as: first, bounds) else {
            return (nil, [])
        }
        var evicted = [placed.evicted]
        if first != kind {
            let device = DeviceID(rawValue: device ?? UInt32(placed.number))
            let proof: ConnectionProof = kind == .device ? .device(device) : .viewer
            guard case .success(let known) = table.prove(placed.number, proof, bounds) else {
                table.remove(placed.number)
                return (nil, evicted.compactMap(\.self))
            }
            evicted.append(known.evicted)
        }
        return (placed.number, evicted.compactMap(\.self))
    }

    @Test func `Viewers and strangers fill all places and lock out no device and no owner`()
        throws
    {
        let bounds = Self.bounds(200, strangers: 20)
        var table = Table()
        for number in 0..<400 {
            _ = try Self.connect(&table, "10.\(number / 200).\(number % 200).1", .viewer, bounds)
            let from = "11.\(number / 200).\(number % 200).1"
            _ = try Self.connect(&table, from, .stranger, bounds)
        }
        #expect(table.count(.stranger) == 20)
        // All places except those reserved for the operations listener and the owner.
        #expect(table.count(.viewer) == 200 - 20 - 16 - 16)
        for kind in [ConnectionClass.device, .operations, .owner] {
            for number in 0..<100 {
                let known = try Self.connect(&table, "12.0.0.\(number)", kind, bounds)
                #expect((known.number != nil) || table.count(.viewer) == 0, "\(kind) \(number)")
            }
        }
        #expect(table.count(.device) == 100 && table.count(.operations) == 25)
        #expect(table.count(.owner) == 100 - (100 + 100 + 25 + 20 - 200))
    }

    @Test func `A device that connects without end evicts its own, the oldest first`() throws {
        let bounds = Self.bounds(500, strangers: 50)
        var table = Table()
        let watch = try Self.connect(&table, "10.0.0.1", .device, bounds, device: 1)
        let viewer = try Self.connect(&table, "10.0.0.2", .viewer, bounds)
        var evicted: [UInt64] = []
        for _ in 0..<10_000 {
            evicted += try Self.connect(&table, nil, .device, bounds, device: 2).evicted
        }
        #expect(table.count(.device) == 1 + bounds.perDeviceMax)
        #expect(evicted == evicted.sorted() && evicted.count == 10_000 - bounds.perDeviceMax)
        #expect(!evicted.contains { $0 == watch.number || $0 == viewer.number })
        #expect(table.count(.viewer) == 1)
        for entry in evicted { table.remove(entry) }
        #expect(table.deviceCount == 2)
    }

    @Test func `Who floods evicts his own`() throws {
        let bounds = Self.bounds(1000, strangers: 50)
        var table = Table()
        let home = try Self.connect(&table, "2001:db8:1:1::1", .stranger, bounds)
        let other = try Self.connect(&table, "198.51.100.7", .stranger, bounds)
        for number in 0..<10_000 {
            // From one /48, each from a different /64.
            let from = "2001:db8:2:\(String(number % 65_536, radix: 16))::1"
            let flood = try Self.connect(&table, from, .stranger, bounds)
            #expect(!flood.evicted.contains { $0 == home.number || $0 == other.number })
        }
        #expect(table.count(.stranger) == 50)
        #expect(try #require(home.number) < 3)
    }

    @Test(arguments: [
        ("2001:db8::%", 64), ("2001:db8:0:0:%::1", 128), ("2001:db8:0:%::1", 256),
        ("2001:db8:0:%00::1", 512), ("198.51.100.7 %", 64), ("198.51.100.%", 256),
    ])
    func `A wider network has more places, not as many as its addresses`(
        pattern: String, places: Int
    ) throws {
        let bounds = Self.bounds(10_000, strangers: 256)
        var table = Table()
        var admitted = 0
        for number in 0..<1000 {
            let hexadecimal = String(number % 250, radix: pattern.contains(":") ? 16 : 10)
            var text = pattern.replacing("%", with: hexadecimal)
            if pattern.contains(" ") { text = "198.51.100.7" }
            if pattern == "2001:db8::%" { text = "2001:db8::1" }
            let viewer = try Self.connect(&table, text, .viewer, bounds)
            if viewer.number != nil { admitted += 1 }
        }
        #expect(admitted == places)
        // A device from there is still admitted; its place is reserved for devices.
        let device = try Self.connect(
            &table, pattern.contains(":") ? "2001:db8::1" : "198.51.100.7",
            .device, bounds)
        #expect(device.number != nil)
    }

    @Test func `A forwarded address is counted as its own`() throws {
        let bounds = Self.bounds(1000, strangers: 100, perAddress: 4)
        var table = Table()
        let behind = try Self.peer("203.0.113.9")
        var admitted = 0
        for _ in 0..<20 {
            guard case .success(let placed) = table.admit(nil, as: .stranger, bounds) else {
                continue
            }
            _ = table.move(placed.number, to: behind, bounds)
            if case .success = table.prove(placed.number, .viewer, bounds) { admitted += 1 }
        }
        #expect(admitted == 4)
        guard case .success(let late) = table.admit(nil, as: .stranger, bounds) else {
            Issue.record("the proxy's own address is not counted")
            return
        }
        _ = table.prove(late.number, .viewer, bounds)
        #expect(table.move(late.number, to: behind, bounds) == .failure(.address))
        // It keeps its place until it is closed.
        #expect(table.count(.viewer) == 5)
    }
}
