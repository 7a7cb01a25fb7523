import Ingest
import SensorModel
import Testing

/// Random calls with arbitrary numbers, as from hostile devices and an unsteady clock.
@Suite struct SessionTableFuzzTests {
    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private static func sequence(_ random: inout Random) -> UInt32 {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: 0
        case 1: .max - UInt32.random(in: 0...3, using: &random)
        case 2: UInt32.random(in: 0 ... .max, using: &random)
        default: UInt32.random(in: 1...60, using: &random)
        }
    }

    private static func step(_ model: inout PipelineModel, _ random: inout Random) {
        let connection = ConnectionID(rawValue: UInt64.random(in: 1...6, using: &random))
        let session = SessionID(high: 0, low: UInt64.random(in: 1...5, using: &random))
        switch Int.random(in: 0..<24, using: &random) {
        case 0, 1:
            _ = model.open(
                connection, DeviceID(rawValue: UInt32.random(in: 1...2, using: &random)), session)
        case 2: model.table.close(connection)
        case 3: model.table.erase(session)
        case 4:
            if let recovery = model.table.forget(session) { model.table.restore(recovery) }
        case 5: model.advance(to: model.seconds + Double.random(in: -5000...5000, using: &random))
        case 6, 7: model.advance(to: model.seconds + Double.random(in: 0...1, using: &random))
        case 8: model.sync(upTo: UInt64.random(in: 0...model.offset, using: &random))
        case 9: model.table.wake(session, at: model.now)
        case 10, 11: model.refuse(sequence(&random), from: connection)
        default:
            model.send(
                sequence(&random), bytes: Int.random(in: 0...500, using: &random),
                from: connection)
        }
    }

    @Test(arguments: 1...30)
    func `No order of calls traps, and nothing is held for ever`(seed: UInt64) {
        var random = Random(state: seed)
        var settings = IngestSettings()
        settings.heldFramesMax = 20
        settings.heldBytesMax = 3000
        settings.heldBytesTotalMax = 8000
        var model = PipelineModel(settings: settings)
        for _ in 0..<3000 { Self.step(&model, &random) }
        model.advance(to: model.seconds + 10_000)
        #expect(model.table.nextDeadline == nil)
        for (session, acks) in model.acks {
            // An erased session begins anew, so acks need to rise only within each run of it.
            #expect(acks.allSatisfy { $0 > 0 }, "\(session)")
        }
    }
}
