import Ingest
import SensorModel
import Testing

@Suite struct AckTests {
    @Test func `An ack covers what is on disk and no more`() {
        var model = PipelineModel.opened()
        for sequence in 1...10 { model.send(UInt32(sequence)) }
        model.sync(upTo: 0)
        #expect(model.sentAcks.isEmpty)
        model.sync(upTo: 4)
        #expect(model.sentAcks == [4])
        model.sync(upTo: 4)
        #expect(model.sentAcks == [4])
        model.sync()
        #expect(model.sentAcks == [4, 10])
    }

    @Test func `Each connection with news gets one ack`() {
        var model = PipelineModel.opened()
        let second = SessionID(high: 9, low: 9)
        let other = ConnectionID(rawValue: 2)
        _ = model.open(other, PipelineModel.device, second)
        for sequence in 1...20 {
            model.send(UInt32(sequence))
            if sequence % 2 == 0 { model.send(UInt32(sequence / 2), from: other) }
        }
        model.sync()
        #expect(model.acks == [PipelineModel.session: [20], second: [10]])
        model.send(21)
        model.sync()
        #expect(model.acks == [PipelineModel.session: [20, 21], second: [10]])
    }

    @Test func `A hole holds acks, a gap lets them pass with the frame behind it`() {
        var model = PipelineModel.opened()
        model.send(1)
        model.send(3)
        model.sync()
        #expect(model.sentAcks == [1])
        model.advance(to: 1002)
        model.sync(upTo: 2)
        #expect(model.sentAcks == [1])
        model.sync()
        #expect(model.sentAcks == [1, 3])
    }

    @Test func `A connection is settled once nothing is owed to it, held frames included`() {
        var model = PipelineModel.opened()
        #expect(model.table.owesNothing(to: PipelineModel.connection))
        model.send(1)
        #expect(!model.table.owesNothing(to: PipelineModel.connection))
        model.sync()
        #expect(model.table.owesNothing(to: PipelineModel.connection))
        model.send(3)
        model.sync()
        #expect(!model.table.owesNothing(to: PipelineModel.connection))
        model.advance(to: 1002)
        model.sync()
        #expect(model.table.owesNothing(to: PipelineModel.connection))
        #expect(model.table.owesNothing(to: ConnectionID(rawValue: 77)))
    }

    @Test func `Acks pass over refused frames`() {
        var model = PipelineModel.opened()
        model.refuse(1)
        #expect(model.table.hasAckNews)
        model.sync()
        #expect(!model.table.hasAckNews)
        #expect(model.sentAcks == [1])
        model.send(2)
        model.refuse(3)
        model.sync(upTo: 0)
        #expect(model.sentAcks == [1])
        model.sync()
        #expect(model.sentAcks == [1, 3])
    }

    @Test func `A refused number behind held frames waits until those are on disk`() {
        var model = PipelineModel.opened()
        model.send(1)
        model.send(3)
        model.refuse(4)
        let beforeHeld = model.offset + 1
        model.send(2)
        model.sync(upTo: beforeHeld)
        #expect(model.sentAcks == [2])
        model.sync()
        #expect(model.sentAcks == [2, 4])
    }

    @Test func `A late frame is acknowledged again, and acks do not fall`() {
        var model = PipelineModel.opened()
        model.send(1)
        model.send(3)
        model.advance(to: 1002)
        model.sync()
        model.send(2)
        model.sync()
        #expect(model.sentAcks == [3, 3])
    }

    @Test func `No ack passes a late frame that is not on disk yet`() {
        var model = PipelineModel.opened()
        model.send(1)
        model.send(3)
        model.advance(to: 1002)
        model.send(4)
        let beforeLate = model.offset
        model.send(2)
        model.sync(upTo: beforeLate)
        #expect(model.sentAcks == [1])
        model.sync()
        #expect(model.sentAcks == [1, 4])
    }

    @Test func `A long wait for the disk costs no more than a short one, and ends as well`() {
        var model = PipelineModel.opened()
        for sequence in 1...10_000 { model.send(UInt32(sequence)) }
        var last: UInt32 = 0
        for end in stride(from: UInt64(0), through: 10_000, by: 500) {
            model.sync(upTo: end)
            let ack = model.sentAcks.last ?? 0
            #expect(ack >= last)
            #expect(UInt64(ack) <= end)
            last = ack
        }
        #expect(last == 10_000)
        #expect(model.sentAcks.count >= 15)
    }
}
