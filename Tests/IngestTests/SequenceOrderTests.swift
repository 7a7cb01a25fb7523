import Ingest
import SensorModel
import Testing

@Suite struct SequenceOrderTests {
    private static func frames(_ sequences: UInt32...) -> [PipelineModel.Entry] {
        sequences.map { .frame($0, late: false) }
    }

    @Test func `The next number passes at once`() {
        var model = PipelineModel.opened()
        for sequence in 1...3 { model.send(UInt32(sequence)) }
        #expect(model.entries == Self.frames(1, 2, 3))
    }

    @Test func `A hole holds back what follows until it is filled`() {
        var model = PipelineModel.opened()
        for sequence in [1, 3, 5, 4] { model.send(UInt32(sequence)) }
        #expect(model.entries == Self.frames(1))
        model.send(2)
        #expect(model.entries == Self.frames(1, 2, 3, 4, 5))
        #expect(model.table.nextDeadline == nil || model.entries.count == 5)
    }

    @Test func `A first frame above 1 waits too`() {
        var model = PipelineModel.opened()
        #expect(model.send(3) == .held)
        model.advance(to: 1002)
        #expect(model.entries == [.gap(1, 2)] + Self.frames(3))
    }

    @Test func `A hole is given up after two seconds of arrival time`() {
        var model = PipelineModel.opened()
        model.send(1)
        model.send(3)
        #expect(model.table.nextDeadline == Timestamp(microseconds: 1_002_000_000))
        model.seconds = 1001
        model.send(6)
        model.advance(to: 1001.999)
        #expect(model.entries == Self.frames(1))
        model.advance(to: 1002)
        #expect(model.entries == Self.frames(1) + [.gap(2, 2)] + Self.frames(3))
        #expect(model.table.nextDeadline == Timestamp(microseconds: 1_003_000_000))
        model.advance(to: 1003)
        #expect(
            model.entries == Self.frames(1) + [.gap(2, 2)] + Self.frames(3) + [.gap(4, 5)]
                + Self.frames(6))
    }

    @Test func `No frame waits longer than two seconds, whichever hole it is behind`() {
        var model = PipelineModel.opened()
        model.send(10)
        model.seconds = 1001.5
        model.send(5)
        model.advance(to: 1002)
        #expect(
            model.entries == [.gap(1, 4)] + Self.frames(5) + [.gap(6, 9)] + Self.frames(10))
    }

    @Test func `A hole is given up after a thousand frames`() {
        var model = PipelineModel.opened()
        for sequence in UInt32(2)...1001 { model.send(sequence) }
        #expect(model.entries.isEmpty)
        model.send(1002)
        #expect(model.entries.count == 1002)
        #expect(model.entries.first == .gap(1, 1))
    }

    @Test func `Held bytes are bounded`() {
        var settings = IngestSettings()
        settings.heldBytesMax = 10_000
        var model = PipelineModel.opened(settings: settings)
        for sequence in stride(from: UInt32(2), through: 40, by: 2) {
            model.send(sequence, bytes: 1000)
        }
        #expect(model.entries.count == 20)
        model.advance(to: 1002)
        #expect(model.entries.count == 40)
    }

    @Test func `Held bytes of all sessions together are bounded`() {
        var settings = IngestSettings()
        settings.heldBytesTotalMax = 5000
        var model = PipelineModel(settings: settings)
        for number in 1...10 {
            let connection = ConnectionID(rawValue: UInt64(number))
            let session = SessionID(high: 0, low: UInt64(number))
            _ = model.open(connection, PipelineModel.device, session)
            model.send(2, bytes: 1000, from: connection)
        }
        #expect(model.log.count == 5)
        #expect(model.log.values.allSatisfy { $0 == [.gap(1, 1)] + Self.frames(2) })
        model.table.erase(SessionID(high: 0, low: 1))
        let connection = ConnectionID(rawValue: 6)
        model.send(4, bytes: 1000, from: connection)
        #expect(model.log[SessionID(high: 0, low: 6)]?.count == 2)
        model.advance(to: 1002)
        #expect(model.log.count == 9)
    }

    @Test func `A frame that falls into a gap later is recorded once, marked late`() {
        var model = PipelineModel.opened()
        model.send(1)
        model.send(5)
        model.advance(to: 1002)
        #expect(
            model.send(3)
                == .record(
                    session: PipelineModel.session, sequence: FrameSequence(rawValue: 3),
                    late: true))
        #expect(model.send(3) == .duplicate)
        #expect(model.send(5) == .duplicate)
        #expect(model.send(1) == .duplicate)
        model.send(2)
        model.send(4)
        #expect(model.entries.suffix(3) == [3, 2, 4].map { .frame($0, late: true) })
    }

    @Test func `Only the newest gaps are remembered`() {
        var model = PipelineModel.opened()
        for gap in 1...(Limits.gapRangesMax + 1) {
            model.send(UInt32(gap * 2))
            model.advance(to: model.seconds + 2)
        }
        #expect(model.send(1) == .duplicate)
        #expect(model.send(3) != .duplicate)
    }

    @Test func `A held frame that comes again is a duplicate`() {
        var model = PipelineModel.opened()
        #expect(model.send(2) == .held)
        #expect(model.send(2) == .duplicate)
        model.send(1)
        #expect(model.entries == Self.frames(1, 2))
    }

    @Test func `A refused frame uses its number`() {
        var model = PipelineModel.opened()
        model.send(1)
        model.refuse(2)
        model.send(3)
        model.refuse(5)
        model.send(6)
        model.send(4)
        #expect(model.send(2) == .duplicate)
        #expect(model.send(5) == .duplicate)
        #expect(model.entries == Self.frames(1, 3, 4, 6))
    }

    @Test func `A refused frame in a gap is not missing any more`() {
        var model = PipelineModel.opened()
        model.send(4)
        model.advance(to: 1002)
        model.refuse(2)
        #expect(model.send(2) == .duplicate)
        #expect(model.send(3) != .duplicate)
    }

    @Test func `A jump over most of the numbers is one gap`() {
        var model = PipelineModel.opened()
        model.send(1)
        model.send(.max)
        model.advance(to: 1002)
        #expect(
            model.entries == Self.frames(1) + [.gap(2, .max - 1)] + Self.frames(.max))
        #expect(model.send(.max) == .duplicate)
        #expect(model.send(0) != .duplicate)
        #expect(model.send(77) != .duplicate)
    }

    @Test func `Frames without numbers pass in order of arrival and are counted`() {
        var model = PipelineModel.opened()
        for _ in 1...3 { model.send(0) }
        #expect(model.entries == Self.frames(0, 0, 0))
        model.sync()
        #expect(model.sentAcks == [3])
        model.send(0)
        model.sync()
        #expect(model.sentAcks == [3, 4])
    }

    /// With a new connection, a restart of the daemon, or neither.
    @Test(arguments: ["same connection", "reconnect", "restart"])
    func `Numbers after frames without any are all the device's own`(interruption: String) {
        var model = PipelineModel.opened()
        for _ in 1...5 { model.send(0) }
        model.sync()
        var recovery = SessionRecovery(
            session: PipelineModel.session, device: PipelineModel.device)
        for _ in 1...5 { recovery.recover(frame: .none) }
        if interruption == "restart" {
            let (log, offset) = (model.log, model.offset)
            model = PipelineModel(recovered: [recovery])
            (model.log, model.offset) = (log, offset)
        }
        if interruption != "same connection" {
            let welcome = model.open(ConnectionID(rawValue: 2))
            guard case .opened(let acknowledged, _, _) = welcome else {
                Issue.record("the session is not open: \(welcome)")
                return
            }
            #expect(acknowledged == .none)
        }
        let connection = ConnectionID(rawValue: interruption == "same connection" ? 1 : 2)
        for number in UInt32(1)...5 { model.send(number, from: connection) }
        #expect(model.entries == Self.frames(0, 0, 0, 0, 0, 1, 2, 3, 4, 5))
        model.sync()
        #expect(model.sentAcks.last == 5)
        // From here on, an unnumbered frame is recorded and acks are by number.
        model.send(0, from: connection)
        model.sync()
        model.send(6, from: connection)
        model.sync()
        #expect(model.sentAcks.last == 6)
        #expect(model.entries.suffix(2) == Self.frames(0, 6))
    }

    @Test func `Acks of a connection never fall when numbers follow frames without any`() {
        var model = PipelineModel.opened()
        for _ in 1...5 { model.send(0) }
        model.sync()
        for number in UInt32(1)...8 {
            model.send(number)
            model.sync()
        }
        #expect(model.sentAcks == [5, 6, 7, 8])
    }

    @Test func `A new connection is told of numbers alone, whatever was counted before`() {
        var model = PipelineModel.opened()
        for _ in 1...5 { model.send(0) }
        model.sync()
        let second = ConnectionID(rawValue: 2)
        _ = model.open(second)
        for number in UInt32(1)...3 {
            model.send(number, from: second)
            model.sync()
        }
        #expect(model.sentAcks == [5, 1, 2, 3])
    }

    /// A restart forgets that acks are by number, but the log keeps the numbers.
    @Test func `After a restart a frame without a number is not acknowledged as the first`() {
        var recovery = SessionRecovery(
            session: PipelineModel.session, device: PipelineModel.device)
        for number in UInt32(1)...21 {
            recovery.recover(frame: FrameSequence(rawValue: number))
        }
        var model = PipelineModel(recovered: [recovery])
        _ = model.open(ConnectionID(rawValue: 2))
        model.send(0, from: ConnectionID(rawValue: 2))
        model.sync()
        #expect(model.sentAcks.isEmpty)
        model.send(22, from: ConnectionID(rawValue: 2))
        model.sync()
        #expect(model.sentAcks == [22])
    }

    @Test func `A source without a number takes none from the frames that have one`() {
        var model = PipelineModel.opened()
        model.send(0, kind: .source)
        model.send(1)
        model.send(0, kind: .source)
        model.send(2)
        #expect(model.entries == Self.frames(0, 1, 0, 2))
    }

    @Test func `A clock set back by an hour does not hold frames for an hour`() {
        var model = PipelineModel.opened()
        model.send(2)
        model.advance(to: 1000 - 3600)
        model.advance(to: 1002 - 3600)
        #expect(model.entries == [.gap(1, 1)] + Self.frames(2))
    }
}
