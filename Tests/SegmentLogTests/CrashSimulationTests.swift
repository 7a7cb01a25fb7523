import FaultyDisk
import Foundation
import SegmentLog
import SensorModel
import Synchronization
import Testing

/// Lives of a log, each ended by power loss, kill or an orderly close at any call. The disks tear,
/// reorder and lose unsynced writes.
@Suite struct CrashSimulationTests {
    private static let isLong = ProcessInfo.processInfo.environment["PULSECAST_LONG"] == "1"

    @Test func `Nothing durable is lost, altered or invented`() throws {
        let seeds = Self.isLong ? 20_000 : 60
        if !Self.isLong { print("\(seeds) seeds of 20,000; all with PULSECAST_LONG=1") }
        for seed in 1...seeds {
            var life = try Life(seed: UInt64(seed))
            do {
                for _ in 0..<6 { try life.live() }
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
            for violation in life.violations { Issue.record("seed \(seed): \(violation)") }
        }
    }

    private struct Life {
        var random: SplitMix
        var fixture: LogFixture
        var sessions: [SessionID] = []
        var erased: Set<SessionID> = []
        /// Offsets acknowledged and not erased.
        var promised: Set<RecordOffset> = []
        var violations: [String] = []
        let configuration: LogConfiguration

        init(seed: UInt64) throws {
            random = SplitMix(state: seed)
            configuration = LogFixture.configuration(
                segmentBytesMax: 4096 + Int(random.next() % 60_000))
            fixture = try LogFixture(configuration: configuration)
        }

        mutating func live() throws {
            let isCut = random.next() % 3 > 0
            if isCut {
                fixture.disk.fail(
                    SimulatedDisk.Fault(
                        kind: .inputOutput,
                        call: fixture.disk.calls + Int(random.next() % 120), isForEver: true))
            } else if random.next() % 2 == 0 {
                fixture.disk.fail(
                    SimulatedDisk.Fault(
                        kind: random.next() % 2 == 0 ? .full : .inputOutput,
                        call: fixture.disk.calls + Int(random.next() % 120)))
            }
            for _ in 0..<(random.next() % 60) { act() }
            promise()
            if random.next() % 4 == 0 {
                fixture.log.close()
                promise()
            }
            let after =
                random.next() % 4 == 0 ? fixture.disk.killed() : fixture.disk.crashed(&random)
            try fixture.restart(on: after, configuration)
            try check()
        }

        private mutating func act() {
            switch random.next() % 20 {
            case 0:
                let session = SessionID(using: &random)
                if fixture.head(session) != nil { sessions.append(session) }
            case 1:
                guard random.next() % 6 == 0, let session = sessions.randomElement(using: &random)
                else { return }
                fixture.log.syncAppended()
                promise()
                sessions.removeAll { $0 == session }
                // From now on the session may be gone, whether or not the erasure succeeds.
                erased.insert(session)
                do throws(SegmentLogError) {
                    _ = try fixture.log.erase([session])
                } catch {
                    return
                }
                promised = promised.filter { fixture.written[$0]?.header.session != session }
            case 2...12:
                guard let session = sessions.randomElement(using: &random) else { return }
                for _ in 0..<(1 + random.next() % 30) {
                    fixture.append(
                        of: session,
                        payload: LogFixture.payload(
                            fixture.sequence, bytes: Int(random.next() % 200)))
                }
            default:
                fixture.log.syncAppended()
                promise()
            }
        }

        private mutating func promise() {
            let end = fixture.log.durableEnd
            for offset in fixture.written.keys where offset < end { promised.insert(offset) }
            // Records lost with memory in an earlier life were never promised.
            promised = promised.filter { offset in
                fixture.written[offset].map { !erased.contains($0.header.session) } ?? false
            }
            if end
                < RecordOffset(
                    rawValue: fixture.acknowledged.durableEnd.load(ordering: .relaxed))
            {
                violations.append("acknowledged beyond what is durable")
            }
        }

        private mutating func check() throws {
            let found = try fixture.contents().records
            let offsets = Set(found.map(\.header.offset))
            if offsets.count != found.count { violations.append("a record twice") }
            for record in found where fixture.written[record.header.offset] != record {
                violations.append("invented or altered at \(record.header.offset)")
            }
            let lost = promised.subtracting(offsets)
            if let first = lost.min() {
                violations.append("lost \(lost.count), first \(first)")
            }
            // Later lives must not expect records that did not survive.
            fixture.written = fixture.written.filter {
                offsets.contains($0.key) || promised.contains($0.key)
            }
            sessions = fixture.log.sessions().map(\.session).filter { !erased.contains($0) }
            let damaged = try fixture.log.reader().verify().damaged
            if !damaged.isEmpty { violations.append("damage \(damaged)") }
        }
    }
}
