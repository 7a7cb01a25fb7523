import Ingest
import SensorModel
import Testing

@Suite struct SessionTableTests {
    private static let other = ConnectionID(rawValue: 2)

    @Test func `A new session starts from nothing and needs a head`() {
        var model = PipelineModel()
        #expect(model.open() == .opened(acknowledged: .none, isNew: true, replaces: nil))
        #expect(model.table.session(of: PipelineModel.connection) == PipelineModel.session)
        #expect(model.table.connection(of: PipelineModel.session) == PipelineModel.connection)
    }

    @Test func `A second hello says where to go on and replaces the older connection`() {
        var model = PipelineModel.opened()
        for sequence in 1...5 { model.send(UInt32(sequence)) }
        model.sync(upTo: 3)
        #expect(
            model.open(Self.other)
                == .opened(
                    acknowledged: FrameSequence(rawValue: 3), isNew: false,
                    replaces: PipelineModel.connection))
        #expect(model.send(6) == .notOpen)
        #expect(model.send(4, from: Self.other) == .duplicate)
        #expect(
            model.send(6, from: Self.other)
                == .record(
                    session: PipelineModel.session, sequence: FrameSequence(rawValue: 6),
                    late: false))
    }

    @Test func `The same hello again on one connection replaces nobody`() {
        var model = PipelineModel.opened()
        #expect(model.open() == .opened(acknowledged: .none, isNew: false, replaces: nil))
        #expect(model.table.connectionCount == 1)
    }

    @Test func `Another device's session is refused and goes on undisturbed`() {
        var model = PipelineModel.opened()
        #expect(model.open(Self.other, DeviceID(rawValue: 8)) == .foreign)
        #expect(model.send(1, from: Self.other) == .notOpen)
        #expect(model.send(1) != .notOpen)
    }

    @Test func `Several sessions and connections of a device do not mix`() {
        var model = PipelineModel.opened()
        let second = SessionID(high: 9, low: 9)
        _ = model.open(Self.other, PipelineModel.device, second)
        model.send(1)
        model.send(1, from: Self.other)
        model.send(2)
        #expect(model.log[second] == [.frame(1, late: false)])
        #expect(model.entries == [.frame(1, late: false), .frame(2, late: false)])
    }

    @Test func `A connection may move to another session`() {
        var model = PipelineModel.opened()
        let second = SessionID(high: 9, low: 9)
        _ = model.open(PipelineModel.connection, PipelineModel.device, second)
        #expect(model.table.connection(of: PipelineModel.session) == nil)
        model.send(1)
        #expect(model.log[second] == [.frame(1, late: false)])
    }

    @Test func `A session outlives its connection`() {
        var model = PipelineModel.opened()
        model.send(1)
        model.table.close(PipelineModel.connection)
        #expect(model.send(2) == .notOpen)
        model.sync()
        #expect(model.sentAcks.isEmpty)
        #expect(
            model.open(Self.other)
                == .opened(
                    acknowledged: FrameSequence(rawValue: 1), isNew: false, replaces: nil))
    }

    @Test func `What the log recovered goes on where it stopped`() {
        var recovery = SessionRecovery(
            session: PipelineModel.session, device: PipelineModel.device)
        for sequence in [1, 2, 3] {
            recovery.recover(frame: FrameSequence(rawValue: UInt32(sequence)))
        }
        recovery.recover(
            gapFrom: FrameSequence(rawValue: 4), to: FrameSequence(rawValue: 9))
        recovery.recover(frame: FrameSequence(rawValue: 10))
        recovery.recover(frame: FrameSequence(rawValue: 6))
        #expect(recovery.highest.rawValue == 10)
        #expect(recovery.gaps == [4...5, 7...9])
        var model = PipelineModel(recovered: [recovery])
        #expect(
            model.open()
                == .opened(
                    acknowledged: FrameSequence(rawValue: 10), isNew: false, replaces: nil))
        #expect(model.send(6) == .duplicate)
        model.send(7)
        model.send(11)
        #expect(model.entries == [.frame(7, late: true), .frame(11, late: false)])
    }

    @Test func `A forgotten session can be restored as it was`() throws {
        var model = PipelineModel.opened()
        for sequence in [1, 2, 5] { model.send(UInt32(sequence)) }
        model.advance(to: 1003)
        let whileOpen = model.table.forget(PipelineModel.session)
        #expect(whileOpen == nil)
        model.table.close(PipelineModel.connection)
        let whileNotOnDisk = model.table.forget(PipelineModel.session)
        #expect(whileNotOnDisk == nil)
        model.sync()
        let forgotten = model.table.forget(PipelineModel.session)
        let recovery = try #require(forgotten)
        #expect(recovery.highest.rawValue == 5)
        #expect(recovery.gaps == [3...4])
        #expect(model.table.sessionCount == 0)
        model.table.restore(recovery)
        _ = model.open()
        model.send(4)
        #expect(model.entries.last == .frame(4, late: true))
    }

    @Test func `An erased session is gone, and its place is used again`() {
        var model = PipelineModel.opened()
        model.send(1)
        model.send(3)
        let connection = model.table.erase(PipelineModel.session)
        #expect(connection == PipelineModel.connection)
        #expect(model.send(2) == .notOpen)
        #expect(model.open() == .opened(acknowledged: .none, isNew: true, replaces: nil))
        model.advance(to: 1010)
        model.sync()
        #expect(model.sentAcks.isEmpty)
        model.send(1)
        model.sync()
        #expect(model.sentAcks == [1])
    }

    @Test func `A hello without frames leaves nothing behind`() {
        var model = PipelineModel.opened()
        model.table.close(PipelineModel.connection)
        #expect(model.table.sessionCount == 0)
        #expect(model.open() == .opened(acknowledged: .none, isNew: true, replaces: nil))
        #expect(
            model.open(Self.other)
                == .opened(
                    acknowledged: .none, isNew: false, replaces: PipelineModel.connection))
        model.send(1, from: Self.other)
        model.table.close(Self.other)
        #expect(model.table.sessionCount == 1)
    }

    @Test func `A session is woken when it asked to be, once`() {
        var model = PipelineModel.opened()
        model.table.wake(PipelineModel.session, at: Timestamp(microseconds: 1_005_000_000))
        model.table.wake(PipelineModel.session, at: Timestamp(microseconds: 1_007_000_000))
        model.advance(to: 1006)
        #expect(model.wakes.isEmpty)
        #expect(model.table.nextDeadline == Timestamp(microseconds: 1_007_000_000))
        model.advance(to: 1007)
        #expect(model.wakes == [PipelineModel.session])
        #expect(model.table.nextDeadline == nil)
        model.table.wake(PipelineModel.session, at: nil)
        model.advance(to: 2000)
        #expect(model.wakes.count == 1)
    }
}
