import FaultyDisk
import Foundation
import SensorModel
import Synchronization
import Testing

@testable import SegmentLog

/// No file keeps anything of an erased session, or of one removed by retention.
@Suite struct NothingReadableTests {
    private static let isLong = ProcessInfo.processInfo.environment["PULSECAST_LONG"] == "1"
    private static let configuration = LogFixture.configuration(segmentBytesMax: 8000)

    /// One session with a unique device, times and payload.
    private struct Runner {
        let session: SessionID
        let device: DeviceID
        let payload: [UInt8]
        let deviceBase: Int64
        var arrivals: [Int64] = []
        var deviceTimes: [Int64] = []

        /// Byte patterns that no file may contain, each with its meaning.
        var traces: [(what: String, bytes: Data)] {
            func bytes(_ number: some FixedWidthInteger) -> Data {
                Data(
                    (0..<number.bitWidth / 8).map {
                        UInt8(truncatingIfNeeded: number >> (8 * $0))
                    })
            }
            let id = Data(bytes(session.high).reversed() + bytes(session.low).reversed())
            var traces = [
                ("ID", id), ("device", bytes(device.rawValue)), ("payload", Data(payload)),
            ]
            for time in Set([deviceTimes.first, deviceTimes.last].compactMap { $0 }) {
                traces.append(("device time", bytes(time)))
            }
            if let first = arrivals.first, let last = arrivals.last {
                traces.append(("arrival times", bytes(first) + bytes(last)))
            }
            return traces
        }
    }

    private final class Story {
        var random: SplitMix
        var disk = SimulatedDisk()
        var log: SegmentLog
        var now = LogFixture.start.microseconds
        var runners: [Runner] = []
        /// Indices of active runners.
        var running: [Int] = []
        var gone: Set<SessionID> = []
        var steps: [String] = []
        var (erasures, retentions) = (0, 0)

        init(seed: UInt64) throws {
            random = SplitMix(state: seed)
            log = try SegmentLog.open(
                disk: disk, configuration: NothingReadableTests.configuration,
                now: LogFixture.start)
        }

        func run(_ count: Int) throws {
            for _ in 0..<count {
                if random.happens(percent: 25) {
                    let fault = SimulatedDisk.Fault(
                        kind: SimulatedDisk.Fault.Kind.allCases[random.below(3)],
                        call: disk.calls + random.below(30))
                    disk.fail(fault)
                    steps.append("\(fault.kind) in \(fault.call - disk.calls)")
                }
                try step()
                if random.happens(percent: 70) { disk.fail(nil) }
                check()
            }
        }

        private func step() throws {
            switch random.below(12) {
            case 0...4: record()
            case 5, 6: erase()
            case 7: retain()
            case 8: try restart()
            case 9: save()
            case 10:
                steps.append("repair")
                _ = log.repair()
            default:
                if !running.isEmpty { running.remove(at: random.below(running.count)) }
            }
        }

        private func record() {
            while running.count < 1 + random.below(3) {
                let number = random.next()
                running.append(runners.count)
                runners.append(
                    Runner(
                        session: SessionID(using: &random),
                        device: DeviceID(rawValue: UInt32(truncatingIfNeeded: number) | 1 << 30),
                        payload: (0..<12).map { _ in UInt8(truncatingIfNeeded: random.next()) },
                        deviceBase: Int64(number >> 12)))
            }
            steps.append("record \(running)")
            for _ in 0..<random.below(120) {
                let index = running[random.below(running.count)]
                now += Int64(1 + random.below(1_000_000))
                let time = runners[index].deviceBase + Int64(random.below(1 << 30)) * 1000
                let isSnapshot = random.happens(percent: 5)
                let payload = runners[index].payload
                let offset = log.append(
                    isSnapshot ? .snapshot : .frame(.motion), session: runners[index].session,
                    device: runners[index].device, sequence: .none,
                    deviceTime: Timestamp(microseconds: time),
                    arrivalTime: Timestamp(microseconds: now), payload: payload.span)
                guard offset != nil else { continue }
                runners[index].arrivals.append(now)
                if !isSnapshot { runners[index].deviceTimes.append(time) }
            }
            log.syncAppended()
        }

        private func erase() {
            let known = log.sessions().map(\.session)
            guard !known.isEmpty else { return }
            let chosen = Set((0...random.below(3)).map { _ in known[random.below(known.count)] })
            running.removeAll { chosen.contains(runners[$0].session) }
            do {
                _ = try log.erase(chosen)
                gone.formUnion(chosen)
                erasures += 1
                steps.append("erased \(chosen)")
            } catch { steps.append("not erased \(chosen): \(error)") }
        }

        private func retain() {
            let before = Set(log.sessions().map(\.session))
            let bytes = log.segments().reduce(0) { $0 + $1.bytes }
            do {
                _ = try log.retain(arrivalBefore: nil, bytesMax: random.below(bytes + 1))
                let left = Set(log.sessions().map(\.session))
                let removed = before.subtracting(left)
                running.removeAll { removed.contains(runners[$0].session) }
                gone.formUnion(removed)
                retentions += removed.isEmpty ? 0 : 1
                steps.append("retention of \(removed)")
            } catch { steps.append("no retention: \(error)") }
        }

        private func save() {
            do throws(SegmentLogError) {
                try log.saveCatalog()
                steps.append("catalog")
            } catch { steps.append("no catalog: \(error)") }
        }

        private func restart() throws {
            let choice = random.below(3)
            if choice == 0 { log.close() }
            disk = choice == 2 ? disk.crashed(&random) : disk.killed()
            steps.append(["closed", "killed", "lost power"][choice])
            if random.happens(percent: 30) {
                disk.fail(
                    SimulatedDisk.Fault(
                        kind: .inputOutput, call: disk.calls + random.below(12),
                        isForEver: random.happens(percent: 50)))
                steps.append("and the start meets errors")
            }
            log = try SegmentLog.open(
                disk: disk, configuration: NothingReadableTests.configuration,
                now: Timestamp(microseconds: now))
            disk.fail(nil)
            log.syncAppended()
        }

        private func check() {
            let files = disk.state.withLock { state in
                // A power loss may undo removals and renames.
                ([state.names, state.syncedNames] + state.unsyncedNames).flatMap { names in
                    names.flatMap { name, number in
                        [state.inodes[number]?.current, state.inodes[number]?.synced]
                            .compactMap { $0 }.map { (name: name, bytes: Data($0)) }
                    }
                }
            }
            for runner in runners where gone.contains(runner.session) {
                for (what, trace) in runner.traces {
                    for file in files where file.bytes.range(of: trace) != nil {
                        Issue.record("\(what) of \(runner.session) in \(file.name) after \(steps)")
                        return
                    }
                }
            }
        }
    }

    @Test func `No file names an erased or retained session, in whatever order things happen`()
        throws
    {
        var (erasures, retentions, gone) = (0, 0, 0)
        for seed in 0..<(Self.isLong ? 4000 : 60) {
            let story = try Story(seed: UInt64(seed))
            try story.run(40)
            erasures += story.erasures
            retentions += story.retentions
            gone += story.gone.count
        }
        print("\(gone) sessions gone by \(erasures) erasures and \(retentions) retentions")
        #expect(erasures > 60 && retentions > 30 && gone > 150)
    }
}
