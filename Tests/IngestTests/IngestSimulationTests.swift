import Ingest
import SensorModel
import Testing

/// A device and a network that lose, duplicate, reorder and disconnect; invariants are checked
/// after each step.
@Suite struct IngestSimulationTests {
    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }

        mutating func happens(_ percent: Int) -> Bool {
            Int.random(in: 0..<100, using: &self) < percent
        }
    }

    @Test(arguments: 1...60)
    func `Every number enters once and in order, and acks keep their word`(seed: UInt64) {
        var random = Random(state: seed)
        var model = PipelineModel.opened()
        var connection = PipelineModel.connection
        var next: UInt32 = 1
        var underWay: [UInt32] = []
        var refused: Set<UInt32> = []
        for _ in 0..<1500 {
            model.seconds += Double.random(in: 0...0.05, using: &random)
            if !random.happens(3) { underWay.append(next) }
            if random.happens(2) { refused.insert(next) }
            next += 1
            if random.happens(4), let again = underWay.randomElement(using: &random) {
                underWay.append(again)
            }
            if random.happens(10) { underWay.shuffle(using: &random) }
            for _ in 0..<Int.random(in: 0...2, using: &random) where !underWay.isEmpty {
                let sequence = underWay.removeFirst()
                if refused.contains(sequence) {
                    model.refuse(sequence, from: connection)
                } else {
                    model.send(sequence, from: connection)
                }
            }
            if random.happens(1) {
                connection = ConnectionID(rawValue: connection.rawValue + 1)
                guard case .opened(let acknowledged, _, _) = model.open(connection) else {
                    Issue.record("the session was refused")
                    return
                }
                underWay = Array((acknowledged.rawValue + 1)..<max(next, acknowledged.rawValue + 1))
            }
            if random.happens(20) { model.advance(to: model.seconds) }
            if random.happens(15) {
                model.sync(upTo: UInt64.random(in: 0...model.offset, using: &random))
            }
        }
        model.advance(to: model.seconds + 3)
        model.sync()
        Self.check(model, refused)
    }

    private static func check(_ model: PipelineModel, _ refused: Set<UInt32>) {
        var highest: UInt32 = 0
        var missing: Set<UInt32> = []
        var seen: Set<UInt32> = []
        for entry in model.entries {
            switch entry {
            case .frame(let sequence, let late):
                #expect(seen.insert(sequence).inserted)
                #expect(!refused.contains(sequence))
                if late {
                    #expect(missing.remove(sequence) != nil)
                } else {
                    // Skipped numbers were refused or have a gap record.
                    #expect(sequence > highest)
                    for skipped in (highest + 1)..<sequence { #expect(refused.contains(skipped)) }
                    highest = sequence
                }
            case .gap(let from, let to):
                #expect(from > highest && from <= to)
                for skipped in (highest + 1)..<from { #expect(refused.contains(skipped)) }
                missing.formUnion(from...to)
                highest = to
            }
        }
        #expect(model.sentAcks == model.sentAcks.sorted())
        // A refused number at the end may be acknowledged above the last record.
        #expect((model.sentAcks.last ?? 0) >= highest)
    }

    /// Checks each ack against the log at the moment it is sent.
    @Test(arguments: 1...40)
    func `An ack never passes a frame that was accepted and is not on disk`(seed: UInt64) {
        var random = Random(state: seed &* 77)
        var model = PipelineModel.opened()
        var durable: UInt64 = 0
        var window: [UInt32] = Array(1...8)
        var next: UInt32 = 9
        for _ in 0..<800 {
            model.seconds += 0.02
            let index = Int.random(in: 0..<window.count, using: &random)
            if random.happens(95) { model.send(window[index]) }
            window[index] = next
            next += 1
            if random.happens(10) { model.advance(to: model.seconds) }
            guard random.happens(20) else { continue }
            durable = UInt64.random(in: durable...model.offset, using: &random)
            let before = model.sentAcks.count
            model.sync(upTo: durable)
            guard model.sentAcks.count > before, let ack = model.sentAcks.last else { continue }
            for (offset, entry) in model.entries.enumerated() where UInt64(offset) >= durable {
                // A late frame may have a number below an ack that was sent before it came.
                if case .frame(let sequence, let late) = entry, !late { #expect(sequence > ack) }
            }
        }
    }
}
