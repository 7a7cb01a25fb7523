import Bytes
import FaultyDisk
import Glibc
import SensorModel
import Synchronization
import Testing

@testable import SegmentLog

/// All concurrent uses of a log by the daemon, each on its own thread, with occasional disk errors.
/// `tools/race` runs this under ThreadSanitizer.
@Suite struct LogRaceTests {
    private static let appenders = 3
    private static let records: UInt32 = 400
    private static let recordsBeforeErasure: UInt32 = 50

    /// State shared by the threads: the log, the appended records, and whether that is all.
    private final class Load: Sendable {
        let log: SegmentLog
        let disk: SimulatedDisk
        let isOver = Atomic(false)
        /// Waits that have ended, by outcome.
        let waits = Mutex<[LogWait: Int]>([:])
        let kept = Mutex<[RecordOffset: UInt32]>([:])
        let erased = Mutex<Set<SessionID>>([])
        /// Those whose erasure a disk failure ended; part of them may remain.
        let unfinished = Mutex<Set<SessionID>>([])
        let wrong = Mutex<[String]>([])
        let readings = Atomic(0)

        init(log: SegmentLog, disk: SimulatedDisk) {
            self.log = log
            self.disk = disk
        }

        func complain(_ sentence: String) { wrong.withLock { $0.append(sentence) } }
    }

    @Test(.timeLimit(.minutes(10)), arguments: [1, 2, 3] as [UInt64])
    func `Appends, readers, upkeep and a failing disk at once lose nothing`(seed: UInt64) throws {
        let fixture = try LogFixture(
            configuration: LogFixture.configuration(segmentBytesMax: 16 << 10))
        let load = Load(log: fixture.log, disk: fixture.disk)
        try load.log.start()
        let appending = (0..<Self.appenders).map { number in
            LogThread { Self.append(to: load, as: UInt64(number)) }
        }
        let others = [
            LogThread { Self.read(load) }, LogThread { Self.read(load) },
            LogThread { Self.keepUp(load, seed: seed) },
            LogThread { Self.disturb(load, seed: seed) },
        ]
        for thread in appending { try #require(thread).join() }
        load.isOver.store(true, ordering: .releasing)
        for thread in others { try #require(thread).join() }
        load.disk.fail(nil)
        while load.log.durableEnd < load.log.nextOffset {
            load.log.syncAppended()
            usleep(1000)
        }
        try Self.finishErasing(load)
        load.log.close()
        #expect(load.wrong.withLock { $0 } == [])
        #expect(
            load.waits.withLock { $0 } == [.reached: Self.appenders * Int(Self.records)])
        try expectRecords(of: load)
    }

    /// Checks that records of kept sessions are there once, and those of erased sessions are gone.
    private func expectRecords(of load: Load) throws {
        var found: [RecordOffset: UInt32] = [:]
        var doubled: [RecordOffset] = []
        var remains: Set<SessionID> = []
        let erased = load.erased.withLock { $0 }
        #expect(erased.count == Self.appenders * Int(Self.records / Self.recordsBeforeErasure))
        try LogReader(disk: load.disk).read(from: RecordOffset(rawValue: 0)) { header, payload in
            if erased.contains(header.session) { remains.insert(header.session) }
            guard Self.isKept(header.session), case .frame = header.type else { return true }
            let before = found.updateValue(header.sequence.rawValue, forKey: header.offset)
            if before != nil || !Self.isRight(header, payload) { doubled.append(header.offset) }
            return true
        }
        #expect(doubled == [])
        #expect(remains == [])
        #expect(found == load.kept.withLock { $0 })
    }

    // MARK: Threads

    private static func session(_ number: UInt64, isKept: Bool) -> SessionID {
        SessionID(high: isKept ? 1 : 2, low: 1 << 63 | number)
    }

    private static func isKept(_ session: SessionID) -> Bool { session.high == 1 }

    private static func payload(_ session: SessionID, _ number: UInt32) -> [UInt8] {
        LogFixture.payload(number &* 7919 &+ UInt32(truncatingIfNeeded: session.low))
    }

    private static func isRight(_ header: RecordHeader, _ payload: Span<UInt8>) -> Bool {
        Array(copying: payload) == Self.payload(header.session, header.sequence.rawValue)
    }

    /// Appends to one session that stays, and to others that are erased when the next one begins.
    private static func append(to load: Load, as number: UInt64) {
        let kept = session(number, isKept: true)
        var doomed = session(number << 32, isKept: false)
        _ = add(.session, 0, of: kept, to: load)
        for step in 1...records {
            if step % recordsBeforeErasure == 1 {
                doomed = session(number << 32 | UInt64(step), isKept: false)
                _ = add(.session, 0, of: doomed, to: load)
            }
            _ = add(.frame(.motion), step, of: doomed, to: load)
            let offset = add(.frame(.motion), step, of: kept, to: load)
            load.kept.withLock { $0[offset] = step }
            load.log.whenWritten(through: offset, onFailure: .keepWaiting) { outcome in
                load.waits.withLock { $0[outcome, default: 0] += 1 }
            }
            guard step % recordsBeforeErasure == 0 else { continue }
            do {
                _ = try load.log.erase([doomed])
                load.erased.withLock { _ = $0.insert(doomed) }
            } catch {
                // A slow machine may see the disk fail at each of them.
                load.unfinished.withLock { _ = $0.insert(doomed) }
            }
        }
    }

    /// Erases what remains, on a disk that works again: a repeated call erases the rest.
    private static func finishErasing(_ load: Load) throws {
        let unfinished = load.unfinished.withLock { $0 }
        _ = try load.log.erase(unfinished)
        load.erased.withLock { $0.formUnion(unfinished) }
    }

    private static func add(
        _ type: RecordType, _ number: UInt32, of session: SessionID, to load: Load
    ) -> RecordOffset {
        while true {
            let payload = payload(session, number)
            let time = LogFixture.start.advanced(byMicroseconds: Int64(number) * 1000)
            let offset =
                type == .session
                ? load.log.appendSession(
                    session, device: LogFixture.device, deviceTime: time, arrivalTime: time,
                    payload: payload.span)
                : load.log.append(
                    type, session: session, device: LogFixture.device,
                    sequence: FrameSequence(rawValue: number), deviceTime: time,
                    arrivalTime: time, payload: payload.span)
            load.log.flush()
            if let offset { return offset }
            usleep(200)
        }
    }

    /// Reads like a viewer's history and checks content and order.
    private static func read(_ load: Load) {
        repeat {
            var last: RecordOffset?
            do {
                try load.log.reader().read(from: RecordOffset(rawValue: 0)) { header, payload in
                    if let last, header.offset <= last { load.complain("out of order") }
                    last = header.offset
                    if case .frame = header.type, !isRight(header, payload) {
                        load.complain("another payload at \(header.offset.rawValue)")
                    }
                    return true
                }
                load.readings.add(1, ordering: .relaxed)
            } catch {
                // A segment may be replaced, or the disk fail, while it is read.
            }
            for summary in load.log.sessions() where summary.lastOffset < summary.firstOffset {
                load.complain("a session that ends before it begins")
            }
            // On a slow machine the disk may have failed at each reading so far.
        } while !load.isOver.load(ordering: .acquiring)
            || load.readings.load(ordering: .relaxed) == 0
    }

    /// Runs the upkeep service's tasks.
    private static func keepUp(_ load: Load, seed: UInt64) {
        var random = SplitMix(state: seed)
        while !load.isOver.load(ordering: .acquiring) {
            _ = load.log.repair()
            do { try load.log.saveCatalog() } catch {
                // After a disk failure, the next attempt writes it again.
            }
            _ = load.log.segments()
            usleep(UInt32(random.below(2000)))
        }
    }

    private static func disturb(_ load: Load, seed: UInt64) {
        var random = SplitMix(state: ~seed)
        while !load.isOver.load(ordering: .acquiring) {
            usleep(UInt32(20_000 + random.below(100_000)))
            let kinds = SimulatedDisk.Fault.Kind.allCases
            load.disk.fail(
                SimulatedDisk.Fault(
                    kind: kinds[random.below(kinds.count)],
                    call: load.disk.calls + random.below(8)))
        }
    }
}
