import HeapUse
import Ingest
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Testing
import WireFormat

/// Memory of live sessions, and what is evicted when the limit is reached.
@Suite(.serialized) struct LiveMemoryTests {
    private static func trimmed(_ meters: Double, wait: Double? = nil) -> PrivacySettings {
        var privacy = PrivacySettings.none
        privacy.trimFinishMeters = meters
        privacy.finishSecondsLate = wait
        return privacy
    }

    private static func send(
        _ payloads: [Frame.Payload], _ sequence: inout UInt32, at seconds: Double,
        in fixture: FlowFixture, of number: Int
    ) throws {
        for payload in payloads {
            sequence += 1
            let arrival = FlowFixture.time(seconds)
            let frame = Frame(
                sequence: FrameSequence(rawValue: sequence), deviceTime: arrival, payload: payload)
            var bytes: [UInt8] = []
            BinaryFrame.encode(frame, to: &bytes)
            fixture.flow.receive(
                try BinaryFrame.header(of: bytes.span),
                payload: bytes.span.extracting(Limits.frameHeaderBytes...),
                from: ConnectionID(rawValue: UInt64(100 + number)), arrival: arrival)
        }
    }

    /// Lets runners, each with its own device, send a heart rate and a position a second.
    private static func run(
        _ count: Int, except left: Set<Int> = [], from first: Int = 1, seconds: Int,
        in fixture: FlowFixture
    ) throws {
        for number in 0..<count where !left.contains(number) {
            _ = fixture.flow.open(
                ConnectionID(rawValue: UInt64(100 + number)),
                device: DeviceID(rawValue: UInt32(100 + number)),
                session: SessionID(high: 9, low: UInt64(number)), recorded: false,
                arrival: fixture.flow.now)
        }
        var sequences = [UInt32](repeating: UInt32(2 * first - 2), count: count)
        for second in first...seconds {
            fixture.flow.advance(to: FlowFixture.time(Double(second)))
            for number in 0..<count where !left.contains(number) {
                let location = try Location(
                    latitude: 48 + Double(second) * 10 / 111_195, longitude: 11.5 + Double(number),
                    altitude: 500, horizontalAccuracy: 4, verticalAccuracy: 6, speed: 10, course: 0)
                let beats = try HeartRateSample(beatsPerMinute: Double(120 + second % 50))
                try Self.send(
                    [.heartRate(beats), .location(location)], &sequences[number],
                    at: Double(second), in: fixture, of: number)
            }
            if second.isMultiple(of: 20) { fixture.flow.log.syncAppended() }
        }
    }

    /// Returns the memory of each of `count` sessions, measured by releasing them.
    private static func bytesEach(
        _ count: Int, in fixture: FlowFixture, _ letGo: (SessionID) -> Void
    ) -> Int {
        fixture.flow.log.syncAppended()
        let full = Heap.bytes
        for number in 0..<count { letGo(session(number)) }
        return (full - Heap.bytes) / count
    }

    /// Settings that hide a place where nobody runs.
    private static let far = PrivacySettings(
        zones: [PrivacyZone(name: "far", latitude: 10, longitude: 10, radiusMeters: 100)],
        trimStartMeters: 0, trimFinishMeters: 0, salt: 1)

    @Test(arguments: [PrivacySettings.none, far, trimmed(200)])
    func `A live session takes no more memory than is planned for it`(
        privacy: PrivacySettings
    ) throws {
        let fixture = try FlowFixture()
        fixture.said.privacy = privacy
        try Self.run(40, seconds: 150, in: fixture)
        let hiding = fixture.flow.sessions.hidingBytes / 40
        #expect((hiding > 0) == (privacy != .none))
        let bytes = Self.bytesEach(40, in: fixture) {
            _ = fixture.flow.forget($0, of: FlowFixture.device)
        }
        let planned = LiveSession.bytesEach + hiding
        #expect((planned * 3 / 4..<planned).contains(bytes), "\(bytes) of \(planned)")
    }

    @Test(arguments: [far, trimmed(200)])
    func `A view that hides something takes no more memory than is counted`(
        privacy: PrivacySettings
    ) throws {
        let fixture = try FlowFixture()
        fixture.said.privacy = privacy
        try Self.run(40, seconds: 150, in: fixture)
        let counted = fixture.flow.sessions.hidingBytes / 40
        let bytes = Self.bytesEach(40, in: fixture) {
            fixture.flow.sessions[$0]?.views.withhold()
        }
        #expect(fixture.flow.sessions.hidingBytes == 0)
        #expect((counted / 3..<counted).contains(bytes), "\(bytes) of \(counted)")
    }

    private static func session(_ number: Int) -> SessionID {
        SessionID(high: 9, low: UInt64(number))
    }

    private static func share(of number: Int, scope: Scope = .all) -> Share {
        Share(
            key: ShareKey(rawValue: UInt32(100 + number) * 2 + (scope == .all ? 0 : 1)),
            name: "\(number) \(scope.rawValue)", idHash: .zero,
            target: .device(DeviceID(rawValue: UInt32(100 + number))), scope: scope,
            delaySeconds: 0, expiresAt: nil, createdAt: FlowFixture.start)
    }

    /// A flow with memory for three of six runners; two are watched with positions, one without.
    private static func crowded() throws -> (fixture: FlowFixture, shares: [Share]) {
        let fixture = try FlowFixture(hidingBytesMax: 300_000)
        fixture.said.privacy = trimmed(200, wait: 200)
        let shares = [share(of: 0), share(of: 1), share(of: 2, scope: .heartRate)]
        for share in shares { fixture.flow.hub.put(share) }
        try run(6, seconds: 10, in: fixture)
        for share in shares {
            _ = fixture.flow.hub.join(
                share.key, loop: 0, cursor: fixture.flow.cursor, at: fixture.flow.now)
        }
        try run(6, from: 11, seconds: 300, in: fixture)
        return (fixture, shares)
    }

    @Test func `Where memory is short the views that nobody watches are given up`() throws {
        let (fixture, shares) = try Self.crowded()
        let flow = fixture.flow
        #expect(flow.sessions.hidingBytes <= 300_000)
        let withheld = (0..<6).filter { flow.sessions[Self.session($0)]?.views.isWithheld == true }
        #expect(withheld.count >= 2 && !withheld.contains(0) && !withheld.contains(1))
        #expect(fixture.said.sentences.contains { $0.contains("too much is held back") })
        let watched = try #require(
            flow.hub.snapshot(shares[0].key, cursor: flow.cursor, at: flow.now))
        #expect(watched.session == Self.session(0))
        // Recorded data is kept, and a share without positions shows it.
        let seen = try #require(
            flow.hub.snapshot(shares[2].key, cursor: flow.cursor, at: flow.now))
        #expect(seen.session == Self.session(2) && seen.heartRate != nil)
    }

    /// Each runs seven kilometers; two of the devices have lost their connection.
    @Test func `Where splits and laps take too much, who is not connected goes first`() throws {
        let most = 6 * LiveSession.bytesEach + 10_000
        let fixture = try FlowFixture(sessionBytesMax: most)
        let flow = fixture.flow
        try Self.run(6, seconds: 350, in: fixture)
        #expect((6 * 500..<10_000).contains(flow.sessions.summaryBytes))
        for number in [1, 4] { flow.table.close(ConnectionID(rawValue: UInt64(100 + number))) }
        try Self.run(6, except: [1, 4], from: 351, seconds: 700, in: fixture)
        #expect(flow.sessions.bytes <= most)
        let evicted = (0..<6).filter { flow.sessions[Self.session($0)] == nil }
        #expect(evicted == [1] || evicted == [4])
        #expect(fixture.said.disconnect.isEmpty)
    }

    @Test func `Splits and laps take no more memory than is counted`() throws {
        var summaries = (0..<1000).map { _ in SummaryEvents() }
        let empty = Heap.bytes
        for number in 1...84 {
            let split = Split(
                unit: .kilometer, number: number, seconds: 300, averageHeartRate: 150,
                elevationMeters: 3)
            let event = StreamEvent(deviceTime: FlowFixture.start, kind: .split(split))
            for index in summaries.indices { summaries[index].take(event) }
        }
        let bytes = (Heap.bytes - empty) / 1000
        let counted = summaries[0].bytes
        #expect(abs(bytes - counted) < counted / 4, "\(bytes), counted \(counted)")
        #expect(bytes < 12_000)
    }

    @Test func `A view that was given up shows nothing but calls for help`() throws {
        let rule = Self.trimmed(200, wait: 200)
        var views = SessionViews(session: Self.session(0), epoch: 1, privacy: rule)
        views.note(.beginning)
        views.withhold()
        #expect(views.isWithheld && !views.isInView && views.nextDeadline == nil)
        func take(_ kind: StreamEvent.Kind, at offset: UInt64) -> [SessionUpdates.Dated]? {
            views.take(
                StreamEvent(deviceTime: FlowFixture.start, kind: kind),
                at: RecordOffset(rawValue: offset), arrival: FlowFixture.start
            ).hiding
        }
        #expect(take(.marker("home"), at: 1)?.isEmpty == true)
        #expect(take(.metrics(Metrics()), at: 2)?.isEmpty == true)
        let sos = Alert(kind: .sos, severity: .emergency, phase: .triggered)
        #expect(take(.alert(sos), at: 3)?.map(\.update.event.isEmpty) == [false])
    }

    @Test func `Who comes to watch has a view that was given up read again`() throws {
        let fixture = try Self.crowded().fixture
        let flow = fixture.flow
        // The watched sessions end, which frees memory for others.
        for number in [0, 1] {
            guard let live = flow.sessions[Self.session(number)] else { continue }
            _ = flow.forget(live.id, of: live.device)
        }
        let number = try #require(
            (2..<6).first { flow.sessions[Self.session($0)]?.views.isWithheld == true })
        let share = Self.share(of: number)
        flow.hub.put(share)
        let asked = fixture.said.rebuilds.count
        _ = flow.sessionShown(by: share)
        #expect(fixture.said.rebuilds.count == asked + 1)
        _ = flow.hub.join(share.key, loop: 0, cursor: flow.cursor, at: flow.now)
        flow.log.syncAppended()
        try fixture.resume(try #require(fixture.said.rebuilds.last))
        let seen = try #require(
            flow.hub.snapshot(share.key, cursor: flow.cursor, at: flow.now))
        #expect(seen.session == Self.session(number))
        #expect(seen.fields.contains { $0.key == .position })
    }
}
