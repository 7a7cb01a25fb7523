import Ingest
import Processing
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Testing
import WireFormat

/// One device's memory limit, and what remains for others.
@Suite struct SessionBoundsTests {
    /// Opens a session over a new connection and sends a heart rate.
    private static func begin(
        _ number: Int, in fixture: FlowFixture, device: DeviceID = FlowFixture.device,
        closing: Bool = false
    ) throws {
        let flow = fixture.flow
        let connection = ConnectionID(rawValue: UInt64(1000 + number))
        let arrival = FlowFixture.time(Double(number) / 100)
        flow.advance(to: arrival)
        _ = flow.open(
            connection, device: device, session: session(number), recorded: false,
            arrival: arrival)
        try send(1, number, in: fixture, arrival: arrival)
        if closing { flow.table.close(connection) }
    }

    private static func session(_ number: Int) -> SessionID {
        SessionID(high: 7, low: UInt64(number))
    }

    private static func send(
        _ sequence: UInt32, _ number: Int, in fixture: FlowFixture, arrival: Timestamp
    ) throws {
        let frame = Frame(
            sequence: FrameSequence(rawValue: sequence), deviceTime: arrival,
            payload: .heartRate(try HeartRateSample(beatsPerMinute: 120)))
        var bytes: [UInt8] = []
        BinaryFrame.encode(frame, to: &bytes)
        fixture.flow.receive(
            try BinaryFrame.header(of: bytes.span),
            payload: bytes.span.extracting(Limits.frameHeaderBytes...),
            from: ConnectionID(rawValue: UInt64(1000 + number)), arrival: arrival)
    }

    @Test(arguments: [true, false])
    func `Of a device's many sessions the one that was silent for longest leaves memory`(
        closing: Bool
    ) throws {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        for number in 0..<300 {
            try Self.begin(number, in: fixture, closing: closing)
            flow.log.syncAppended()
            flow.acknowledge { _ in }
        }
        #expect(flow.sessions.liveCount == 8)
        #expect(flow.sessions.of(FlowFixture.device).count == 8)
        for number in 292..<300 {
            #expect(flow.sessions[Self.session(number)]?.hasEnded == false)
        }
        // The connection of an evicted session is closed once.
        #expect(fixture.said.disconnect.count == (closing ? 0 : 292))
        for connection in fixture.said.disconnect { flow.table.close(connection) }
        try Self.begin(300, in: fixture, closing: closing)
        flow.log.syncAppended()
        flow.acknowledge { _ in }
        // The live sessions, the device's first one, which got no frames, and the last evicted one.
        #expect(flow.table.sessionCount <= 10)
    }

    @Test func `A session without a connection leaves before one that is sent to`() throws {
        let fixture = try FlowFixture()
        for number in 0..<8 { try Self.begin(number, in: fixture, closing: number == 5) }
        try Self.begin(8, in: fixture)
        #expect(fixture.flow.sessions[Self.session(5)] == nil)
        #expect(fixture.flow.sessions[Self.session(0)]?.hasEnded == false)
        #expect(fixture.said.disconnect.isEmpty)
    }

    @Test func `One that left for want of room goes on where it was`() throws {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        for number in 0..<12 {
            try Self.begin(number, in: fixture, closing: true)
            flow.log.syncAppended()
            flow.acknowledge { _ in }
        }
        #expect(flow.sessions[Self.session(0)] == nil)
        let decision = flow.open(
            ConnectionID(rawValue: 1000), device: FlowFixture.device, session: Self.session(0),
            recorded: false, arrival: flow.now)
        let acknowledged = FrameSequence(rawValue: 1)
        #expect(
            decision == .opened(acknowledged: acknowledged, isNew: false, replaces: nil))
        try Self.send(2, 0, in: fixture, arrival: flow.now)
        flow.log.syncAppended()
        try fixture.resume(try #require(fixture.said.rebuilds.last))
        for sequence in UInt32(3)...6 {
            let arrival = flow.now.advanced(bySeconds: 1)
            flow.advance(to: arrival)
            try Self.send(sequence, 0, in: fixture, arrival: arrival)
        }
        #expect(flow.sessions[Self.session(0)]?.hasEnded == false)
        #expect(flow.sessions[Self.session(0)]?.backlog.isEmpty == true)
        let metrics = flow.sessions[Self.session(0)]?.computation?.processors.pipeline.metrics
        #expect(metrics?.state == .live && metrics?.elapsedSeconds ?? 0 > 3)
        #expect(fixture.said.sentences.isEmpty)
    }

    @Test func `A device with too many recorded sessions begins none, and goes on with its own`()
        throws
    {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        try Self.begin(0, in: fixture)
        fixture.said.recorded = .init(own: 51_200, all: 51_200)
        let open = { (number: Int) in
            flow.open(
                ConnectionID(rawValue: 5000), device: FlowFixture.device,
                session: Self.session(number), recorded: false, arrival: flow.now)
        }
        #expect(open(1) == .crowded)
        // One session a day is allowed, however many sessions others have.
        let later = flow.now.advanced(bySeconds: 86_401)
        let decision = flow.open(
            ConnectionID(rawValue: 5001), device: FlowFixture.device, session: Self.session(9),
            recorded: false, arrival: later)
        #expect(decision != .crowded)
        guard case .opened = open(0) else {
            Issue.record("its own session was refused")
            return
        }
        // Another device still has space.
        fixture.said.recorded = .init(own: 0, all: 51_200)
        try Self.begin(2, in: fixture, device: DeviceID(rawValue: 2))
        #expect(flow.sessions[Self.session(2)]?.hasEnded == false)
    }

    @Test func `A device that has filled its share of the log is sent away, and comes back`() throws
    {
        let fixture = try FlowFixture(deviceMebibytesPerDay: 1)
        let flow = fixture.flow
        let text = String(repeating: "x", count: 100)
        var sent = 0
        while fixture.said.disconnect.isEmpty, sent < 100_000 {
            try fixture.send(100, .marker(text))
            sent += 100
        }
        #expect(fixture.said.disconnect == [FlowFixture.connection])
        #expect((4 << 20..<5 << 20).contains(flow.log.appendedBytes))
        #expect(fixture.said.sentences.count { $0.contains("its share of the log") } == 1)
        let open = { (device: DeviceID, arrival: Timestamp) in
            flow.open(
                ConnectionID(rawValue: 7), device: device, session: FlowFixture.session,
                recorded: false, arrival: arrival)
        }
        #expect(open(FlowFixture.device, flow.now) == .crowded)
        #expect(open(DeviceID(rawValue: 2), flow.now) == .foreign)
        #expect(open(FlowFixture.device, flow.now.advanced(bySeconds: 86_400)) != .crowded)
    }

    @Test func `Devices do not end each other's sessions`() throws {
        let fixture = try FlowFixture()
        for number in 0..<40 {
            try Self.begin(number, in: fixture, device: DeviceID(rawValue: UInt32(number % 5 + 2)))
        }
        #expect(fixture.flow.sessions.liveCount == 40)
    }

    private static func delayed(_ number: Int, seconds: Int) -> Share {
        Share(
            key: ShareKey(rawValue: UInt32(number)), name: "\(number)", idHash: .zero,
            target: .device(FlowFixture.device), scope: .all, delaySeconds: seconds,
            expiresAt: nil, createdAt: FlowFixture.start)
    }

    @Test func `What three delays show stays in memory, and older sessions leave`() throws {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        let shares = [2500, 1500, 500].enumerated().map {
            Self.delayed($0.offset + 1, seconds: $0.element)
        }
        for share in shares { flow.hub.put(share) }
        for number in 0..<5 {
            // A session of one heart rate, which ends by silence before the next begins.
            try Self.begin(number * 100_000, in: fixture, closing: true)
            flow.log.syncAppended()
            flow.acknowledge { _ in }
            flow.advance(to: FlowFixture.time(Double(number) * 1000 + 900))
        }
        for _ in 0..<3 {
            let shown = shares.map { flow.sessionShown(by: $0)?.id }
            #expect(shown == [2, 3, 4].map { Self.session($0 * 100_000) })
        }
        #expect(fixture.said.rebuilds.isEmpty)
        #expect(flow.sessions[Self.session(0)] == nil)
        #expect(flow.sessions.of(FlowFixture.device).count == 4)
    }

    @Test func `Delays of a device hold together what one may`() throws {
        let fixture = try FlowFixture()
        let hub = fixture.flow.hub
        for number in 1...64 { hub.put(Self.delayed(number, seconds: 7200 + number)) }
        try fixture.send(500, .marker("here"))
        var held = 0
        for number in 1...64 {
            let key = ShareKey(rawValue: UInt32(number))
            _ = hub.join(key, loop: 0, cursor: fixture.flow.cursor, at: fixture.flow.now)
            held += hub.heldCount(of: key)
        }
        #expect((64..<HeldUpdates.countMax + 64).contains(held))
        // Ended shares hold no data and take nothing from others.
        for number in 2...64 {
            var share = try #require(hub.directory[ShareKey(rawValue: UInt32(number))])
            share.revokedAt = fixture.flow.now
            hub.put(share)
        }
        try fixture.send(500, .marker("here"))
        #expect(hub.heldCount(of: ShareKey(rawValue: 1)) > 500)
        #expect(hub.heldCount(of: ShareKey(rawValue: 2)) == 0)
    }

    @Test func `Shares with one delay hold back what one of them does, each update once`() throws {
        let fixture = try FlowFixture()
        let hub = fixture.flow.hub
        for number in 1...300 { hub.put(Self.delayed(number, seconds: 300)) }
        try fixture.send(200, .marker("here"))
        for number in 1...300 {
            #expect((200...410).contains(hub.heldCount(of: ShareKey(rawValue: UInt32(number)))))
        }
        for number in [1, 150, 300] {
            let key = ShareKey(rawValue: UInt32(number))
            _ = hub.join(key, loop: 0, cursor: fixture.flow.cursor, at: fixture.flow.now)
        }
        fixture.flow.advance(to: FlowFixture.time(1000))
        let events = fixture.said.shown.filter { $0.event != nil }
        #expect(events.count == 3 * 200)
        let began = fixture.said.shown.filter(\.begins)
        #expect(began.count == 3)
        // A share created or ended during the run changes nothing for the others.
        fixture.said.shown = []
        hub.put(Self.delayed(301, seconds: 300))
        hub.remove(ShareKey(rawValue: 2))
        hub.put(Self.delayed(150, seconds: 60))
        #expect(fixture.said.shown.isEmpty)
    }
}
