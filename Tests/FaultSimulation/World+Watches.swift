import FaultyDisk
import Ingest
import Ring
import SegmentLog
import SensorModel
import Sessions
import Synchronization
import WireFormat

/// Watches and the network between them and the daemon.
extension World {
    /// Performs the next action of a watch.
    func act(_ index: Int) {
        if watches[index].connection == nil, random.happens(percent: 30) { connect(index) }
        while watches[index].nextFrameAt <= steady {
            let due = max(watches[index].nextFrameAt, steady - 1_000_000)
            watches[index].nextFrameAt = due + 150_000 + Int64(random.below(200_000))
            let (number, made) = watches[index].make(at: steady, &random)
            if let made { ledger.books[watches[index].session]?.made[number] = made }
        }
        send(index)
    }

    private func connect(_ index: Int) {
        connections += 1
        let connection = ConnectionID(rawValue: connections)
        var wire = Wire(watch: index)
        wire.send(.hello(watches[index].session), at: steady, &random)
        wires[connection] = wire
        watches[index].connection = connection
        watches[index].isWelcome = false
        say("watch \(index) says hello on \(connections)")
    }

    /// Sends new frames of the connection, some twice, some out of order.
    private func send(_ index: Int) {
        let watch = watches[index]
        guard watch.isWelcome, let connection = watch.connection, watch.sent + 1 < watch.next
        else { return }
        let last = min(watch.next - 1, watch.sent + UInt32(1 + random.below(12)))
        var numbers = Array((watch.sent + 1)...last)
        if numbers.count > 1, random.happens(percent: 5) { numbers.shuffle(using: &random) }
        if random.happens(percent: 5), let again = numbers.randomElement(using: &random) {
            numbers.append(again)
        }
        var bytes: [UInt8] = []
        for number in numbers { bytes += watch.kept[number] ?? [] }
        watches[index].sent = last
        if random.happens(percent: 15),
            let (_, uncounted, made) = watches[index].makeUncounted(at: steady, &random)
        {
            ledger.books[watch.session]?.uncounted[made, default: 0] += 1
            bytes += uncounted
        }
        // A read may end anywhere in a frame.
        while !bytes.isEmpty {
            let count = random.happens(percent: 70) ? bytes.count : 1 + random.below(bytes.count)
            wires[connection]?.send(.bytes(Array(bytes.prefix(count))), at: steady, &random)
            bytes.removeFirst(count)
        }
    }

    func cut(_ connection: ConnectionID) {
        guard let index = wires[connection]?.watch else { return }
        say("connection \(connection.rawValue) is cut")
        if watches[index].connection == connection {
            watches[index].connection = nil
            watches[index].isWelcome = false
        }
        wires[connection]?.cut(at: steady, &random)
    }

    /// Delivers bytes that are due, at both ends.
    func deliver(_ connection: ConnectionID) {
        guard var wire = wires.removeValue(forKey: connection) else { return }
        var isOver = false
        if wire.isStalled { wire.isStalled = !receive([], &wire, connection) }
        while !wire.isStalled, !isOver, let (at, item) = wire.up.first, at <= steady {
            switch item {
            case .hello:
                guard life.pushOpened(connection, at: now) else { wire.isStalled = true; break }
                _ = receive(BinaryFrame.preamble, &wire, connection)
            case .bytes(let bytes): wire.isStalled = !receive(bytes, &wire, connection)
            case .end:
                guard life.pushClosed(connection, at: now) else { wire.isStalled = true; break }
                isOver = true
            }
            if case .bytes = item {
                wire.up.removeFirst()
            } else if !wire.isStalled {
                if case .hello(let session) = item { hellos[connection] = session }
                wire.up.removeFirst()
            }
        }
        life.publish()
        // The daemon's loop runs a turn or wakes the thread that does; the simulation may be later.
        life.flow.noteUnread(since: life.unreadSince)
        while let (at, item) = wire.down.first, at <= steady {
            wire.down.removeFirst()
            take(item, on: connection, wire.watch)
        }
        if !isOver { wires[connection] = wire }
    }

    private func receive(_ bytes: [UInt8], _ wire: inout Wire, _ connection: ConnectionID) -> Bool {
        let arrival = now
        do {
            return try wire.splitter.split(bytes.span) { _, frame in
                do throws(RefusedFrame) {
                    let header = try BinaryFrame.header(of: frame)
                    let payload = frame.extracting(Limits.frameHeaderBytes...)
                    do throws(FrameRefusal) {
                        try FrameValidation.check(
                            header, payload: payload, arrivalTime: arrival, recorded: false)
                    } catch {
                        return life.pushRefused(
                            header.sequence.rawValue, connection, at: arrival)
                    }
                    return life.pushFrame(header, payload, connection, at: arrival)
                } catch {
                    return true
                }
            }
        } catch {
            life.complaints.sentences.append("the network invented a frame: \(error)")
            return true
        }
    }

    /// Handles a hello at the daemon.
    func hear(_ connection: ConnectionID, at arrival: Timestamp) {
        guard let session = hellos[connection], let book = ledger.books[session] else { return }
        guard !life.erasing.contains(session) else {
            wires[connection]?.answer(.close, at: steady, &random)
            return
        }
        let decision = life.flow.open(
            connection, device: book.device, session: session, recorded: false,
            arrival: arrival)
        guard case .opened(let acknowledged, isNew: _, let replaced) = decision else {
            life.complaints.sentences.append("a watch was refused its own session")
            return
        }
        if let replaced { wires[replaced]?.answer(.close, at: steady, &random) }
        say("welcome to \(connection.rawValue): \(acknowledged.rawValue)")
        wires[connection]?.answer(
            .welcome(session, acknowledged.rawValue), at: steady, &random)
    }

    private func take(_ item: Wire.Down, on connection: ConnectionID, _ index: Int) {
        guard watches[index].connection == connection else { return }
        switch item {
        case .welcome(let session, let number):
            guard watches[index].session == session else { return }
            watches[index].isWelcome = true
            watches[index].sent = number
            forget(upTo: number, index)
        case .ack(let number): forget(upTo: number, index)
        case .close:
            watches[index].connection = nil
            watches[index].isWelcome = false
        }
    }

    private func forget(upTo number: UInt32, _ index: Int) {
        guard number > watches[index].acknowledged else { return }
        for done in watches[index].acknowledged + 1...number {
            watches[index].kept[done] = nil
        }
        watches[index].acknowledged = number
    }
}
